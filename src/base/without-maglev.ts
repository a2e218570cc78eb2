// Turns V8's middle compiler, Maglev, off in this process and its threads. In Node 24 (V8 13.6) its code for an object of
// floating-point numbers may let objects share them: what a function returned then changes when it returns the next one.
// test/fixtures/maglev-objects.mjs shows it. Hot code goes on to V8's best compiler, and kernels are WebAssembly, so little is lost.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-maglev');
