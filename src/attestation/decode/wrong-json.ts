import { type Finding, mistake } from './finding.ts'
import {
  anyProperty,
  atPath,
  childrenOf,
  countOf,
  type JsonTree,
  kindOf,
  nextOf,
  noNode,
  property,
  stringOf,
  textAt,
} from './json-tree.ts'
import { placeOf, type Source } from './source.ts'
import { inQuotes } from './visible-text.ts'
import { hasPrivateKey, privateKey } from './wrong-paste.ts'

/** What JSON without an attestation looks like, and what to do; a private key is sought in all of `whole`. */
export function describeJson(source: Source, node: number, whole = node): Finding {
  const { tree } = source
  const at = placeOf(source, node)
  if (hasPrivateKey(tree.text) || isPrivateInJson(source, whole)) return privateKey
  const problem = problemOf(tree, node)
  if (problem !== undefined) {
    const message = `This is a service's error response: ${inQuotes(problem.replace(/\.$/, ''))}.`
    return mistake('problem-answer', message, at)
  }
  const known = lookOf(tree, node) ?? lookOf(tree, onlyInside(tree, node))
  const kind = kindOf(tree, node) ?? 'nothing'
  const what =
    kind === 'object' ? 'JSON, but not an attestation' : `JSON, but only ${article(kind)}`
  const message = known ?? `This is ${what}. It doesn't contain an envelope or statement.`
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

/** A JSON Web Key, or a key as in-toto and TUF write it, alone or anywhere in a set. */
function isPrivateInJson({ tree }: Source, node: number): boolean {
  for (let at = node; at < nextOf(tree, node); at++) {
    if (kindOf(tree, at) !== 'object') continue
    if ((textAt(tree, at, 'keyval', 'private') ?? '') !== '') return true
    const isJwk = stringOf(tree, property(tree, at, 'kty')) !== undefined
    if (isJwk && anyProperty(tree, at, 'd', 'k', 'priv') !== noNode) return true
  }
  return false
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

const alone = "without a statement around it, so it isn't signed."

/** Documents whose keys alone say too little: these are looked for first. */
const closerLooks: readonly JsonLook[] = [
  {
    keys: 'dist',
    where: (tree, node) => textAt(tree, node, 'dist', 'attestations', 'url') !== undefined,
    says: 'This describes an npm package and only links to its attestations. Open its dist.attestations.url and paste the content.',
  },
  {
    keys: 'attestations|attestation_bundles',
    where: (tree, node) => {
      const list = anyProperty(tree, node, 'attestations', 'attestation_bundles')
      return kindOf(tree, list) === 'array' && countOf(tree, list) === 0
    },
    says: 'This is an empty list of attestations from a service: there are none, or none you can see.',
  },
  {
    keys: 'kind apiVersion spec',
    where: (tree, node) => /^[a-z][a-z0-9]*$/.test(textAt(tree, node, 'kind') ?? ''),
    says: 'This is the body of a transparency log entry. It has the digest of what was signed, but not the payload.',
  },
  {
    keys: 'signed signatures',
    where: isSigned('link'),
    says: 'This is an in-toto link from before DSSE (“signed” and “signatures”). Only DSSE envelopes are supported.',
  },
  {
    keys: 'signed signatures',
    where: isSigned('layout'),
    says: 'This is an in-toto layout from before DSSE (“signed” and “signatures”). It lists required steps and contains no attestation.',
  },
  {
    keys: 'signed signatures',
    where: isSigned('root', 'timestamp', 'snapshot', 'targets', 'mirrors'),
    says: 'This is TUF metadata. It says which keys and files to trust and contains no attestation.',
  },
]

/** What people paste in place of an attestation, by its keys; the first that fits counts. */
const looksByKeys: Readonly<Record<string, string>> = {
  'messageSignature|message_signature':
    'This is a Sigstore bundle without a DSSE envelope. It signs a file by its digest and contains no attestation.',
  'verificationMaterial|verification_material':
    'This is a Sigstore bundle without a DSSE envelope.',
  'base64Signature cert|rekorBundle':
    'This is a signature bundle of an older cosign version. It signs a file and contains no attestation.',
  'Base64Signature|Base64Sig Payload|Cert':
    'This is an image signature downloaded with cosign, not an attestation. Download the attestation instead.',
  bundle_url:
    "This refers to an attestation but doesn't contain it. Its bundle is at its bundle_url.",
  'kind apiVersion spec|metadata|data':
    'This is a cluster resource, such as a policy. It contains no attestation.',
  '@context @graph':
    "This is an SPDX or other linked-data document without a statement around it, so it isn't signed.",
  'signed signatures':
    'This is in-toto or TUF metadata from before DSSE (“signed” and “signatures”). Only DSSE envelopes are supported.',
  '_type materials products': "This is an in-toto link without an envelope, so it isn't signed.",
  'tlogs certificateAuthorities|timestampAuthorities|ctlogs':
    'This is a Sigstore trusted root: the keys and certificates of its services. It contains no attestation.',
  kty: 'This is a key (JWK), not an attestation. You can add it as a trusted key.',
  'keyval keytype|scheme': 'This is a key in the in-toto and TUF format, not an attestation.',
  'publickeys|roots steps':
    'This is a Witness policy. It lists required attestations and contains none.',
  keys: 'This is a set of keys (JWKS), not an attestation. You can add them as trusted keys.',
  'payload protected|header|signature|signatures':
    'This is a JWS, the JSON form of a signed token. Attestations are DSSE envelopes.',
  'ciphertext protected|recipients|unprotected':
    'This is a JWE, an encrypted token, not an attestation.',
  'policyUri status':
    'This is a policy scan result. The attestation it evaluated is at its attestationUri.',
  'bomFormat|components': `This is a CycloneDX document ${alone}`,
  'spdxVersion|SPDXID|spdxId': `This is an SPDX document ${alone}`,
  'buildDefinition runDetails': `This is the predicate of SLSA provenance ${alone}`,
  'builder buildType|recipe': `This is the predicate of SLSA provenance ${alone}`,
  'verifier verificationResult|verification_result': `This is the predicate of a verification summary ${alone}`,
  '$schema|version runs': 'This is SARIF, the result of a code analysis, not an attestation.',
  'body|canonicalizedBody|SignedEntryTimestamp logIndex|logID|integratedTime|Payload':
    'This is a transparency log entry. Paste the bundle or the envelope it is about.',
  'schemaVersion manifests':
    'This is an OCI index, a list of manifests. The attestation is in a layer of one of them.',
  'schemaVersion|artifactType layers|config|blobs':
    'This is an OCI manifest. The attestation is in one of its layers.',
  'mediaType digest size':
    'This is an OCI descriptor, which refers to content by its digest. Fetch that content and paste it.',
  'critical optional': 'This is a simple signing document of an image, not an attestation.',
  lockfileVersion: 'This is an npm lock file, not an attestation.',
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
