import { type CellVerdict, failedWord, type RowCell } from '../../../policy/board-row.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'
import { verdictTones as scanTones } from './remembered-runs.ts'

/** What a verdict means for a release: as on the page of the scan. */
export const cellTones: Readonly<Record<CellVerdict, StatusTone>> = {
  ...scanTones,
  'releasable-unchecked': 'waiting',
  failed: 'bad',
  open: 'none',
}

/** What a cell says of its scan, in a word or two. */
export function cellWord({ verdict, cell, missing }: RowCell): string {
  switch (verdict) {
    case 'not-releasable':
      return failingWords(cell.known?.outcome.counts.unsatisfied ?? 0, missing.length)
    case 'failed':
      return failedWord(cell)
    case 'undecided':
    case 'open':
    case 'releasable-with-waivers':
    case 'releasable-unchecked':
    case 'releasable':
    case 'nothing-applied':
      return words[verdict]
  }
}

function failingWords(failing: number, missing: number): string {
  const parts = [
    ...(failing > 0 || missing === 0 ? [`${failing} failing`] : []),
    ...(missing > 0 ? [`${missing} not checked`] : []),
  ]
  return parts.join(', ')
}

const words = {
  undecided: 'inconclusive',
  open: 'not yet',
  'releasable-with-waivers': 'waived',
  'releasable-unchecked': 'not all checked',
  releasable: 'passes',
  'nothing-applied': 'no policies apply',
} as const
