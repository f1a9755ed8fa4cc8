import { decodeBase64 } from './base64.ts'
import { base64Findings } from './base64-findings.ts'
import { mistake, warning, type Finding } from './finding.ts'
import { kindOf, noNode, sourceOf, stringOf } from './json-tree.ts'
import { placeInWords } from './place.ts'
import { placeInText, placeOf, type Source } from './source.ts'

export type PayloadReading =
  | {
      readonly ok: true
      readonly bytes: Uint8Array
      readonly text: string
      readonly findings: readonly Finding[]
      readonly unverifiable: string | undefined
    }
  | { readonly ok: false; readonly mistake: Finding }

/**
 * Reads the base64 payload at `node`, a member of the object `owner`. An object in its place, as older
 * services wrote it, is let through without bytes: it can be shown and never be verified.
 */
export function readPayload(source: Source, owner: number, node: number): PayloadReading {
  const { tree } = source
  if (node === noNode) {
    const message = 'The envelope has no "payload": what was signed is not here.'
    return { ok: false, mistake: mistake('payload-missing', message, placeOf(source, owner)) }
  }
  const at = placeOf(source, node)
  if (kindOf(tree, node) === 'object') {
    const unverifiable =
      'The payload is an object, not base64: the bytes that were signed are not here, so no signature can be checked.'
    const findings = [warning('payload-is-object', unverifiable, at)]
    return { ok: true, bytes: new Uint8Array(), text: '', findings, unverifiable }
  }
  const text = stringOf(tree, node)
  if (text === undefined) {
    const message = `The payload is ${sourceOf(tree, node).slice(0, 40)}, where base64 in quotes belongs.`
    return { ok: false, mistake: mistake('payload-not-text', message, at) }
  }
  const decoded = decodeBase64(text, codesOf(source, node, text))
  if (!decoded.ok) {
    const wrong = placeInText(source, node, decoded.offset)
    const message = `The payload is not base64: at ${placeInWords(wrong)} (its character ${decoded.offset}) ${decoded.problem}.`
    return { ok: false, mistake: mistake('payload-not-base64', message, wrong) }
  }
  const findings = base64Findings('payload-base64-unusual', 'The payload', decoded.quirks, at)
  return {
    ok: true,
    bytes: decoded.bytes,
    text,
    findings,
    unverifiable: undefined,
  }
}

/** The characters of a string value, where they stand in the source as they are. */
function codesOf({ tree, codes }: Source, node: number, text: string): Uint8Array | undefined {
  const start = (tree.starts[node] ?? 0) + 1
  const end = (tree.ends[node] ?? 0) - 1
  return end - start === text.length ? codes?.subarray(start, end) : undefined
}
