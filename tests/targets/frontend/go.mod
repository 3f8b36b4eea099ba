module example.com/frontend

go 1.17
