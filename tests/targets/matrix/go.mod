module example.com/matrix.v2

go 1.18
