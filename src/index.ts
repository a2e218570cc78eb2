// The public API, in the order the data takes: data, embed, exchange, fuse, infer.

export {};
