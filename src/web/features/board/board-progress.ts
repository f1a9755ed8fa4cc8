import type { BoardSnapshot } from '../../data/board/board-run.ts'
import { countText } from '../../../protocol/count.ts'

/** How far a run has come, in words; undefined where none goes on. `now` is epoch ms. */
export function progressText(snapshot: BoardSnapshot, now: number): string | undefined {
  const { state, run } = snapshot
  const done = run === undefined ? '' : `done ${countText(run.done)} of ${countText(run.total)}`
  const seconds = (until: number): number => Math.max(0, Math.ceil((until - now) / 1000))
  switch (state.is) {
    case 'idle':
      return undefined
    case 'stopped':
      return `stopped: ${state.problem.message} ${done}`
    case 'paused':
      return `paused, ${done}; what was in flight is finished and not lost`
    case 'following':
      return `another tab evaluates this board, and this one shows it: ${done}`
    case 'reconnecting':
      return `${state.problem.message} Again in ${seconds(state.until)} s, ${done}`
    case 'running':
      return [...inWork(snapshot, now), done].join(', ')
  }
}

function inWork({ cells }: BoardSnapshot, now: number): readonly string[] {
  let busy = 0
  let waiting = 0
  let next = Infinity
  for (const { doing } of cells.values()) {
    if (doing.is === 'asking' || doing.is === 'reading') busy += 1
    if (doing.is !== 'waiting') continue
    waiting += 1
    next = Math.min(next, doing.until)
  }
  const inSeconds = Math.max(0, Math.ceil((next - now) / 1000))
  return [
    `evaluating ${countText(busy)}`,
    ...(waiting > 0 ? [`waiting ${countText(waiting)} (server busy, next in ${inSeconds} s)`] : []),
  ]
}
