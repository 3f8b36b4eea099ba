module example.com/sink

go 1.17
