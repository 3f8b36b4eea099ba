module example.com/family

go 1.17

require golang.org/x/sync v0.1.0
