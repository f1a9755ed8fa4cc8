import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** Linux counts processor time in hundredths of a second. */
const ticksPerSecond = 100

/** Processor seconds that a process and all that it started have used so far (Linux only). */
export function processorSeconds(root: number): number {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const stat = readStat(Number(pid))
      return stat === undefined ? [] : [stat]
    })
  const wanted = new Set([root])
  for (let size = 0; size < wanted.size;) {
    size = wanted.size
    for (const { pid, parent } of stats) if (wanted.has(parent)) wanted.add(pid)
  }
  return stats.filter(({ pid }) => wanted.has(pid)).reduce((sum, { seconds }) => sum + seconds, 0)
}

/** What share of the whole machine so many processor seconds are. */
export function machineShare(processor: number, seconds: number): number {
  return processor / seconds / cpus().length
}

function readStat(pid: number): { pid: number; parent: number; seconds: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; what follows it is numbers.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return { pid, parent: Number(fields[1]), seconds: ticks / ticksPerSecond }
  } catch {
    // It ended while the list was read.
    return undefined
  }
}
