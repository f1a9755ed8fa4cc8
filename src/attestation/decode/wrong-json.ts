import { type Finding, mistake } from './finding.ts'
import {
  anyProperty,
  atPath,
  childrenOf,
  countOf,
  type JsonTree,
  kindOf,
  noNode,
  property,
  stringOf,
  textAt,
} from './json-tree.ts'
import { placeOf, type Source } from './source.ts'
import { inQuotes } from './visible-text.ts'
import { hasPrivateKey, privateKey } from './wrong-paste.ts'

/** What a JSON value that holds no attestation looks like, as a sentence that says what to do. */
export function describeJson(source: Source, node: number): Finding {
  const { tree } = source
  const at = placeOf(source, node)
  if (hasPrivateKey(tree.text) || isPrivateInJson(source, node)) return privateKey
  const problem = problemOf(tree, node)
  if (problem !== undefined) {
    const message = `This is the answer of a service that reports a problem: ${inQuotes(problem)}.`
    return mistake('problem-answer', message, at)
  }
  const known = lookOf(tree, node) ?? lookOf(tree, onlyInside(tree, node))
  const kind = kindOf(tree, node) ?? 'nothing'
  const what = kind === 'object' ? 'JSON, but no attestation' : `JSON, but only ${article(kind)}`
  const message = known ?? `This is ${what}: nothing in it is an envelope or a statement.`
  return mistake(known !== undefined ? 'wrong-paste' : 'no-envelope', message, at)
}

/** What a problem detail says (RFC 9457), or the error of a registry, of GitHub or of a log. */
function problemOf(tree: JsonTree, node: number): string | undefined {
  const has = (...keys: readonly string[]): boolean => anyProperty(tree, node, ...keys) !== noNode
  const text = (key: string): string | undefined => textAt(tree, node, key)
  if (text('type') !== undefined && has('title', 'status')) {
    return text('detail') ?? text('title') ?? ''
  }
  if (has('documentation_url', 'code', 'status') && text('message') !== undefined) {
    return text('message')
  }
  const errors = property(tree, node, 'errors')
  const [first = noNode] = kindOf(tree, errors) === 'array' ? childrenOf(tree, errors) : []
  const isAlone = countOf(tree, node) === 1
  return textAt(tree, first, 'message') ?? (isAlone ? text('error') : undefined)
}

function lookOf(tree: JsonTree, node: number): string | undefined {
  const found = jsonLooks.find(
    ({ keys, where }) =>
      keys.every((either) => anyProperty(tree, node, ...either) !== noNode) &&
      (where === undefined || where(tree, node)),
  )
  return found?.says
}

/** Down through what has one member or several alike: answers wrap what they are about. */
function onlyInside(tree: JsonTree, node: number): number {
  let at = node
  for (let level = 0; level < deepestAnswer; level++) {
    const [first = noNode] = childrenOf(tree, at)
    const isWrapping = countOf(tree, at) === 1 || kindOf(tree, at) === 'array'
    if (!isWrapping || lookOf(tree, at) !== undefined) break
    at = first
  }
  return at
}

const deepestAnswer = 4

/** A JSON Web Key, or a key as in-toto and TUF write it. */
function isPrivateInJson({ tree }: Source, node: number): boolean {
  const keys = property(tree, node, 'keys')
  const key = kindOf(tree, keys) === 'array' ? keys + 1 : node
  if ((textAt(tree, key, 'keyval', 'private') ?? '') !== '') return true
  return (
    stringOf(tree, property(tree, key, 'kty')) !== undefined &&
    anyProperty(tree, key, 'd', 'k') !== noNode
  )
}

function article(kind: string): string {
  return kind === 'array' ? 'an array' : kind === 'null' ? 'null' : `a ${kind}`
}

/** A kind of JSON document that is no attestation. */
interface JsonLook {
  /** Keys that must be there, separated by spaces; `a|b` is either of two. */
  readonly keys: string
  /** What else must hold. */
  readonly where?: (tree: JsonTree, node: number) => boolean
  /** What it is and what to do, in plain sentences. */
  readonly says: string
}

const alone = 'without a statement around it: nobody vouches for it.'

/** Documents whose keys alone say too little: these are looked for first. */
const closerLooks: readonly JsonLook[] = [
  {
    keys: 'dist',
    where: (tree, node) => textAt(tree, node, 'dist', 'attestations', 'url') !== undefined,
    says: 'This describes a package of npm and only names its attestations: open its dist.attestations.url and paste what is there.',
  },
  {
    keys: 'attestations|attestation_bundles',
    where: (tree, node) => {
      const list = anyProperty(tree, node, 'attestations', 'attestation_bundles')
      return kindOf(tree, list) === 'array' && countOf(tree, list) === 0
    },
    says: 'This is the answer of a service that lists attestations, and its list is empty: there are none, or none that you may see.',
  },
  {
    keys: 'kind apiVersion spec',
    where: (tree, node) => /^[a-z][a-z0-9]*$/.test(textAt(tree, node, 'kind') ?? ''),
    says: 'This is the body of a transparency log entry: it has the digest of what was signed, and not the payload.',
  },
  {
    keys: 'signed signatures',
    where: isSigned('link'),
    says: 'This is an in-toto link from before DSSE (“signed” and “signatures”); only DSSE envelopes are read.',
  },
  {
    keys: 'signed signatures',
    where: isSigned('layout'),
    says: 'This is an in-toto layout from before DSSE (“signed” and “signatures”): it says which steps are wanted, and no attestation is in it.',
  },
  {
    keys: 'signed signatures',
    where: isSigned('root', 'timestamp', 'snapshot', 'targets', 'mirrors'),
    says: 'This is TUF metadata: it says which keys and files to trust, and no attestation is in it.',
  },
]

/** What people paste in place of an attestation, by its keys; the first that fits counts. */
const looksByKeys: Readonly<Record<string, string>> = {
  'messageSignature|message_signature':
    'This is a Sigstore bundle with no DSSE envelope: it signs a file by its digest and holds no attestation.',
  'verificationMaterial|verification_material': 'This is a Sigstore bundle with no DSSE envelope.',
  'base64Signature cert|rekorBundle':
    'This is a signature bundle of older cosign versions: it signs a file and holds no attestation.',
  'Base64Signature|Base64Sig Payload|Cert':
    'This is the signature of an image as cosign downloads it, and no attestation; download the attestation instead.',
  bundle_url: 'This names an attestation without holding it: its bundle is at its bundle_url.',
  'kind apiVersion spec|metadata|data':
    'This is a resource of a cluster, such as a policy, and no attestation lies in it.',
  '@context @graph':
    'This is an SPDX or other linked-data document without a statement around it: nobody vouches for it.',
  'signed signatures':
    'This is in-toto or TUF metadata from before DSSE (“signed” and “signatures”); only DSSE envelopes are read.',
  '_type materials products':
    'This is an in-toto link without an envelope: there is no signature, so nobody vouches for it.',
  'tlogs certificateAuthorities|timestampAuthorities|ctlogs':
    'This is a trusted root of Sigstore, the keys and certificates of its services; it holds no attestation.',
  kty: 'This is a key (JWK). It can be added as a trusted key; it holds no attestation.',
  'keyval keytype|scheme': 'This is a key as in-toto and TUF write it; it holds no attestation.',
  'publickeys|roots steps':
    'This is a policy of Witness: it says which attestations are wanted, and holds none.',
  keys: 'This is a set of keys (JWKS). It can be added as trusted keys; it holds no attestation.',
  'payload protected|header|signature|signatures':
    'This is a JWS, the JSON form of a signed token; attestations are DSSE envelopes.',
  'ciphertext protected|recipients|unprotected':
    'This is a JWE, an encrypted token, and no attestation.',
  'policyUri status':
    'This is the result of a policy scan. The attestation it judged is at its attestationUri.',
  'bomFormat|components': `This is a CycloneDX document ${alone}`,
  'spdxVersion|SPDXID|spdxId': `This is an SPDX document ${alone}`,
  'buildDefinition runDetails': `This is the predicate of SLSA provenance ${alone}`,
  'builder buildType|recipe': `This is the predicate of SLSA provenance ${alone}`,
  'verifier verificationResult|verification_result': `This is the predicate of a verification summary ${alone}`,
  '$schema|version runs': 'This is SARIF, the result of a code analysis, and no attestation.',
  'body|canonicalizedBody|SignedEntryTimestamp logIndex|logID|integratedTime|Payload':
    'This is an entry of a transparency log; paste the bundle or the envelope it is about.',
  'schemaVersion manifests':
    'This is an OCI index: it lists manifests, and the attestation is in a layer of one of them.',
  'schemaVersion|artifactType layers|config|blobs':
    'This is an OCI manifest; the attestation is in one of its layers.',
  'mediaType digest size':
    'This is an OCI descriptor: it names something by its digest. Fetch that and paste it.',
  'critical optional': 'This is a simple signing document of an image, and no attestation.',
  lockfileVersion: 'This is a lock file of npm, and no attestation.',
  '@context statements': `This is an OpenVEX document ${alone}`,
}

const jsonLooks = [
  ...closerLooks,
  ...Object.entries(looksByKeys).map(([keys, says]): JsonLook => ({ keys, says })),
].map((look) => ({ ...look, keys: look.keys.split(' ').map((either) => either.split('|')) }))

function isSigned(...types: readonly string[]): NonNullable<JsonLook['where']> {
  return (tree, node) => {
    const type = textAt(tree, atPath(tree, node, 'signed'), '_type') ?? ''
    return types.includes(type.toLowerCase())
  }
}
