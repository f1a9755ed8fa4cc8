import { readBare } from './bare.ts'
import { readOurs } from './ours.ts'
import { createSigned } from './signed-envelopes.ts'
import { takeTurns, type Turn } from './turns.ts'

declare global {
  interface Window {
    benchAttestation: (rounds: number) => Promise<{ bare: Turn[]; ours: Turn[] }>
  }
}

/** Runs in the page: the same turns as in Node, by what a browser has. */
window.benchAttestation = async (rounds) => {
  const large = await createSigned({ payloadBytes: 10_000_000, count: 1 })
  return takeTurns({
    rounds,
    bare: () => readBare(large, 'fromBase64'),
    ours: () => readOurs(large),
  })
}
