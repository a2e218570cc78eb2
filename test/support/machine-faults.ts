// Loaded before a program (--import): gives it another clock and a full disk, as the file in F3_MACHINE_FAULTS says.
import fs, { readFileSync } from 'node:fs';
import { flushCompileCache, syncBuiltinESMExports } from 'node:module';

export interface MachineFaults {
  /** Milliseconds by which the clock is ahead. */
  clock: number;
  /** Whether the disk is full: nothing can be written to files. */
  disk: boolean;
}

/** Milliseconds after the start, when everything is loaded. */
const FLUSH_MS = 5000;

const control = process.env.F3_MACHINE_FAULTS;
let faults: MachineFaults = { clock: 0, disk: false };

if (control !== undefined) {
  const read = () => {
    try {
      faults = JSON.parse(readFileSync(control, 'utf8')) as MachineFaults;
    } catch {
      // It is being written; the next look finds it.
    }
  };
  read();
  setInterval(read, 20).unref();
  // Node keeps compiled code when a program ends by itself, which a killed one never does.
  setTimeout(flushCompileCache, FLUSH_MS).unref();

  const Real = Date;
  const now = () => Real.now() + faults.clock;
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new Real(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });

  const full = () => Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 });
  const isFile = (descriptor: unknown) => typeof descriptor !== 'number' || descriptor > 2;
  const { writeSync, writeFileSync } = fs;
  fs.writeSync = ((...args: Parameters<typeof writeSync>) => {
    if (faults.disk && isFile(args[0])) throw full();
    return writeSync(...args);
  }) as typeof writeSync;
  fs.writeFileSync = ((...args: Parameters<typeof writeFileSync>) => {
    if (faults.disk && isFile(args[0])) throw full();
    return writeFileSync(...args);
  }) as typeof writeFileSync;
  syncBuiltinESMExports();
}
