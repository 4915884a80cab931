module example.com/nts

go 1.24
