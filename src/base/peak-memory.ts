// How much memory this process has had at the most.
import { readFileSync } from 'node:fs';

/**
 * Bytes of peak resident memory. On Linux `maxRSS` also counts the parent's pages at the moment it started this process, so there the
 * kernel's figure for this program alone is read.
 */
export function peakMemory(): number {
  if (process.platform === 'linux') {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    if (kilobytes) return Number(kilobytes) * 1024;
  }
  return process.resourceUsage().maxRSS * 1024;
}
