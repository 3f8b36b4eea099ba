module example.com/args

go 1.18
