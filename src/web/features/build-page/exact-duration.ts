import { durationText } from '../../ui/format.ts'

/** A duration as `durationText`, but to the millisecond below a second: tasks take "12 ms". */
export function exactDuration(ms: number): string {
  return ms < 950 ? `${Math.round(ms)} ms` : durationText(ms)
}
