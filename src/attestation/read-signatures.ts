import type { EnvelopeSignature } from './envelope.ts'
import { mistake, warning, type Finding } from './finding.ts'
import { childrenOf, countOf, kindOf, noNode } from './json-tree.ts'
import { readSignature } from './read-signature.ts'
import { placeOf, type Source } from './source.ts'

export type SignaturesReading =
  | {
      readonly ok: true
      readonly signatures: readonly EnvelopeSignature[]
      readonly findings: readonly Finding[]
    }
  | { readonly ok: false; readonly mistake: Finding }

/**
 * Reads the `signatures` of an envelope: a list, required even where it is empty (DSSE v1.0.2). All
 * of them are read; findings are told for the first twenty.
 */
export function readSignatures(source: Source, envelope: number, node: number): SignaturesReading {
  const { tree } = source
  if (node === noNode) {
    const message =
      'The envelope has no "signatures"; DSSE wants the field even where there are none.'
    return { ok: false, mistake: mistake('signatures-missing', message, placeOf(source, envelope)) }
  }
  if (kindOf(tree, node) !== 'array') {
    const message = 'The "signatures" of the envelope are no list.'
    return { ok: false, mistake: mistake('signatures-not-list', message, placeOf(source, node)) }
  }
  const signatures: EnvelopeSignature[] = []
  const findings = countFindings(source, node)
  for (const child of childrenOf(tree, node)) {
    const read = readSignature(source, child, signatures.length)
    if (signatures.length < mostTold) findings.push(...read.findings)
    signatures.push(read.signature)
  }
  return { ok: true, signatures, findings }
}

const mostTold = 20
const manySignatures = 50

function countFindings(source: Source, node: number): Finding[] {
  const count = countOf(source.tree, node)
  if (count === 0) {
    const message = 'The envelope is not signed: its list of signatures is empty.'
    return [warning('unsigned', message, placeOf(source, node))]
  }
  if (count <= manySignatures) return []
  const message = `The envelope has ${count} signatures, where one to three are usual.`
  return [warning('many-signatures', message, placeOf(source, node))]
}
