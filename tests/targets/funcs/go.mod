module example.com/funcs

go 1.17
