module example.com/costs

go 1.17
