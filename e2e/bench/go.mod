module github.com/gpugen/gpugen/e2e/bench

go 1.26
