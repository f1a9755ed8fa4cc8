import { mistake, type Finding } from './finding.ts'
import { anyProperty, textAt } from './json-fields.ts'
import {
  childrenOf,
  countOf,
  kindOf,
  noNode,
  property,
  stringOf,
  type JsonTree,
} from './json-tree.ts'
import { placeOf, type Source } from './source.ts'
import { inQuotes } from './visible-text.ts'
import { hasPrivateKey, privateKey } from './wrong-paste.ts'

/** What a JSON value that holds no attestation looks like, as a sentence that says what to do. */
export function describeJson(source: Source, node: number): Finding {
  const { tree } = source
  const at = placeOf(source, node)
  if (hasPrivateKey(tree.text) || isPrivateJwk(source, node)) return privateKey
  const type = textAt(tree, node, 'type')
  if (type !== undefined && anyProperty(tree, node, 'title', 'status') !== noNode) {
    const said = textAt(tree, node, 'detail') ?? textAt(tree, node, 'title') ?? ''
    const message = `This is the answer of a service that reports a problem: ${inQuotes(said)}.`
    return mistake('problem-answer', message, at)
  }
  const known = lookOf(tree, node) ?? lookOf(tree, onlyInside(tree, node))
  const kind = kindOf(tree, node) ?? 'nothing'
  const what = kind === 'object' ? 'JSON, but no attestation' : `JSON, but only ${article(kind)}`
  const message = known?.says ?? `This is ${what}: nothing in it is an envelope or a statement.`
  return mistake(known ? 'wrong-paste' : 'no-envelope', message, at)
}

function lookOf(tree: JsonTree, node: number) {
  return looks.find(({ has }) => has.every((keys) => anyProperty(tree, node, ...keys) !== noNode))
}

/** Down through what has one member or several alike: answers wrap what they are about. */
function onlyInside(tree: JsonTree, node: number): number {
  let at = node
  for (let level = 0; level < deepestAnswer; level++) {
    const [first = noNode] = childrenOf(tree, at)
    const isWrapping = countOf(tree, at) === 1 || kindOf(tree, at) === 'array'
    if (!isWrapping || lookOf(tree, at)) break
    at = first
  }
  return at
}

const deepestAnswer = 4

function isPrivateJwk({ tree }: Source, node: number): boolean {
  const keys = property(tree, node, 'keys')
  const key = kindOf(tree, keys) === 'array' ? keys + 1 : node
  return (
    stringOf(tree, property(tree, key, 'kty')) !== undefined &&
    anyProperty(tree, key, 'd', 'k') !== noNode
  )
}

function article(kind: string): string {
  return kind === 'array' ? 'an array' : kind === 'null' ? 'null' : `a ${kind}`
}

/** Each of `has` is a choice of keys of which one must be there. */
const looks: readonly { readonly has: readonly (readonly string[])[]; readonly says: string }[] = [
  {
    has: [['messageSignature', 'message_signature']],
    says: 'This is a Sigstore bundle with no DSSE envelope: it signs a file by its digest and holds no attestation.',
  },
  {
    has: [['verificationMaterial', 'verification_material']],
    says: 'This is a Sigstore bundle with no DSSE envelope.',
  },
  {
    has: [['base64Signature'], ['cert', 'rekorBundle']],
    says: 'This is a signature bundle of older cosign versions: it signs a file and holds no attestation.',
  },
  {
    has: [
      ['Base64Signature', 'Base64Sig'],
      ['Payload', 'Cert'],
    ],
    says: 'This is the signature of an image as cosign downloads it, and no attestation; download the attestation instead.',
  },
  {
    has: [['bundle_url']],
    says: 'This names an attestation without holding it: its bundle is at its bundle_url.',
  },
  {
    has: [['kind'], ['apiVersion'], ['spec']],
    says: 'This is a resource or the body of a transparency log entry; neither holds the payload that was signed.',
  },
  {
    has: [['@context'], ['@graph']],
    says: 'This is an SPDX or other linked-data document without a statement around it: nobody vouches for it.',
  },
  {
    has: [['signed'], ['signatures']],
    says: 'This is in-toto or TUF metadata from before DSSE (“signed” and “signatures”); only DSSE envelopes are read.',
  },
  {
    has: [['kty']],
    says: 'This is a key (JWK). It can be added as a trusted key; it holds no attestation.',
  },
  {
    has: [['keys']],
    says: 'This is a set of keys (JWKS). It can be added as trusted keys; it holds no attestation.',
  },
  {
    has: [['payload'], ['protected', 'header', 'signature', 'signatures']],
    says: 'This is a JWS, the JSON form of a signed token; attestations are DSSE envelopes.',
  },
  {
    has: [['policyUri'], ['status']],
    says: 'This is the result of a policy scan. The attestation it judged is at its attestationUri.',
  },
  {
    has: [['bomFormat', 'components']],
    says: 'This is a CycloneDX document without a statement around it: nobody vouches for it.',
  },
  {
    has: [['spdxVersion', 'SPDXID', 'spdxId']],
    says: 'This is an SPDX document without a statement around it: nobody vouches for it.',
  },
  {
    has: [['$schema', 'version'], ['runs']],
    says: 'This is SARIF, the result of a code analysis, and no attestation.',
  },
  {
    has: [['body'], ['logIndex', 'logID', 'integratedTime']],
    says: 'This is an entry of a transparency log; paste the bundle or the envelope it is about.',
  },
  {
    has: [['schemaVersion'], ['layers', 'manifests', 'config']],
    says: 'This is an OCI manifest; the attestation is in one of its layers.',
  },
  {
    has: [['critical'], ['optional']],
    says: 'This is a simple signing document of an image, and no attestation.',
  },
  { has: [['lockfileVersion']], says: 'This is a lock file of npm, and no attestation.' },
  {
    has: [['@context'], ['statements']],
    says: 'This is an OpenVEX document without a statement around it: nobody vouches for it.',
  },
]
