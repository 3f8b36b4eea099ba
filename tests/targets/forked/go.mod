module example.com/forked

go 1.17
