module example.com/signatures

go 1.17
