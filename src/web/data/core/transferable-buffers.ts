import type { JobOutcome } from '../attestation/attestation-jobs.ts'

/** The memory of payloads and their trees in what was decoded, which goes over to the page without being copied. */
export function buffersOf(outcome: JobOutcome): ArrayBuffer[] {
  if (outcome.kind !== 'decode' || !outcome.result.ok) return []
  const buffers = new Set<ArrayBuffer>()
  for (const { content, payload } of outcome.result.items) {
    if (payload.buffer instanceof ArrayBuffer) buffers.add(payload.buffer)
    if (content.kind !== 'json') continue
    for (const part of Object.values(content.tree)) {
      if (ArrayBuffer.isView(part) && part.buffer instanceof ArrayBuffer) buffers.add(part.buffer)
    }
  }
  return [...buffers]
}
