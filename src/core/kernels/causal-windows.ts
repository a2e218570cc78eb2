// What a causal convolution sees: each step beside earlier ones, `dilation` steps apart, zeros before the first.
// A task is some examples.
import { addScaled } from './rearrange';

/** x [batch, time, width] → to [batch, time, taps, width], to[e, t, k] = x[e, t − k · dilation] */
export function causalWindows(
  task: i32, examples: i32, batch: i32, time: i32, width: i32, taps: i32, dilation: i32, x: usize, to: usize,
): void {
  const row = <usize>width << 2;
  const end = min(batch, (task + 1) * examples);
  for (let e = task * examples; e < end; e++) {
    const sequence = x + <usize>(e * time) * row;
    let out = to + <usize>(e * time * taps) * row;
    for (let t = 0; t < time; t++) {
      for (let k = 0; k < taps; k++) {
        const from = t - k * dilation;
        if (from < 0) memory.fill(out, 0, row);
        else memory.copy(out, sequence + <usize>from * row, row);
        out += row;
      }
    }
  }
}

/** dx[e, t − k · dilation] += dTo[e, t, k] */
export function causalWindowsBackward(
  task: i32, examples: i32, batch: i32, time: i32, width: i32, taps: i32, dilation: i32, dTo: usize, dx: usize,
): void {
  const row = <usize>width << 2;
  const end = min(batch, (task + 1) * examples);
  for (let e = task * examples; e < end; e++) {
    const sequence = dx + <usize>(e * time) * row;
    let from = dTo + <usize>(e * time * taps) * row;
    for (let t = 0; t < time; t++) {
      for (let k = 0; k < taps; k++) {
        const step = t - k * dilation;
        if (step >= 0) addScaled(width, 1, from, sequence + <usize>step * row);
        from += row;
      }
    }
  }
}
