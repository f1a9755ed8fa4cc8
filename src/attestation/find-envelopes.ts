import { anyProperty } from './json-fields.ts'
import { kindOf, noNode, property, type JsonTree } from './json-tree.ts'
import { looksLikeStatement } from './statement.ts'

/** Something in a JSON document that can be read as an attestation. */
export interface Candidate {
  readonly node: number
  readonly layout: 'envelope' | 'bundle' | 'pep740' | 'statement'
}

/** What the object at a node is by its fields, or undefined. */
export function candidateAt(tree: JsonTree, node: number): Candidate | undefined {
  if (kindOf(tree, node) !== 'object') return undefined
  const inner = anyProperty(tree, node, 'dsseEnvelope', 'dsse_envelope')
  // Protobuf's JSON may write null for what is not there.
  if (inner !== noNode && kindOf(tree, inner) !== 'null') return { node, layout: 'bundle' }
  if (isEnvelope(tree, node)) return { node, layout: 'envelope' }
  const pep740 = property(tree, node, 'envelope')
  const isPep740 = anyProperty(tree, pep740, 'statement') !== noNode && !isEnvelope(tree, pep740)
  if (isPep740) return { node, layout: 'pep740' }
  return looksLikeStatement(tree, node) ? { node, layout: 'statement' } : undefined
}

/**
 * The envelopes anywhere inside a document that is none itself (answers of registries, stores and
 * services wrap them), in order, at most `limit`. Linear; statements alone are not looked for.
 */
export function candidatesInside(tree: JsonTree, limit: number): Candidate[] {
  const found: Candidate[] = []
  for (let node = 0; node < tree.size && found.length < limit;) {
    const candidate = candidateAt(tree, node)
    const isFound = candidate !== undefined && candidate.layout !== 'statement'
    if (isFound) found.push(candidate)
    node = isFound ? (tree.nexts[node] ?? tree.size) : node + 1
  }
  return found
}

/** Two of the three fields are enough to mean one: the third is then missing, and that is told. */
function isEnvelope(tree: JsonTree, node: number): boolean {
  const payload = property(tree, node, 'payload')
  const payloadType = anyProperty(tree, node, 'payloadType', 'payload_type')
  const signatures = property(tree, node, 'signatures')
  // The log keeps what it was given without its payload, each signature with its key (Rekor, intoto).
  const isLogged = property(tree, signatures + 1, 'publicKey') !== noNode
  if (payloadType !== noNode) return payload !== noNode || (signatures !== noNode && !isLogged)
  if (payload === noNode || signatures === noNode) return false
  // A JWS in JSON has these two as well, its signatures each with a header.
  return anyProperty(tree, signatures + 1, 'protected', 'header') === noNode
}
