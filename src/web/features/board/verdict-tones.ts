import type { BoardCell, CellVerdict } from '../../../policy/board-cell.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'
import { verdictTones as scanTones } from '../../domain/run/verdict-tones.ts'

/** What a verdict means for whoever wants to release: as on the page of the scan. */
export const verdictTones: Readonly<Record<CellVerdict, StatusTone>> = {
  ...scanTones,
  failed: 'bad',
  open: 'none',
}

/** What is being done for a cell, in a word; empty where nothing is. `now` is epoch ms. */
export function doingWords({ doing }: BoardCell, now: number): string {
  switch (doing.is) {
    case 'idle':
      return ''
    case 'queued':
      return 'queued'
    case 'asking':
      return 'asking'
    case 'reading':
      return 'reading'
    case 'waiting':
      return `again in ${Math.max(0, Math.ceil((doing.until - now) / 1000))} s`
  }
}
