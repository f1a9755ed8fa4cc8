import { anyProperty, atPath, textAt } from './json-fields.ts'
import { countOf, kindOf, type JsonTree } from './json-tree.ts'

/** A kind of JSON document that is no attestation, and how it is told. */
export interface JsonLook {
  /** Each is a choice of keys of which one must be there. */
  readonly has: readonly (readonly string[])[]
  /** What else must hold. */
  readonly where?: (tree: JsonTree, node: number) => boolean
  /** What it is and what to do, in plain sentences. */
  readonly says: string
}

const alone = 'without a statement around it: nobody vouches for it.'

/** What people paste in place of an attestation; the first that fits is told. */
export const jsonLooks: readonly JsonLook[] = [
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
    has: [['dist']],
    where: (tree, node) => textAt(tree, node, 'dist', 'attestations', 'url') !== undefined,
    says: 'This describes a package of npm and only names its attestations: open its dist.attestations.url and paste what is there.',
  },
  {
    has: [['attestations', 'attestation_bundles']],
    where: (tree, node) => {
      const list = anyProperty(tree, node, 'attestations', 'attestation_bundles')
      return kindOf(tree, list) === 'array' && countOf(tree, list) === 0
    },
    says: 'This is the answer of a service that lists attestations, and its list is empty: there are none, or none that you may see.',
  },
  {
    has: [['kind'], ['apiVersion'], ['spec']],
    where: (tree, node) => /^[a-z][a-z0-9]*$/.test(textAt(tree, node, 'kind') ?? ''),
    says: 'This is the body of a transparency log entry: it has the digest of what was signed, and not the payload.',
  },
  {
    has: [['kind'], ['apiVersion'], ['spec', 'metadata', 'data']],
    says: 'This is a resource of a cluster, such as a policy, and no attestation lies in it.',
  },
  {
    has: [['@context'], ['@graph']],
    says: 'This is an SPDX or other linked-data document without a statement around it: nobody vouches for it.',
  },
  {
    has: [['signed'], ['signatures']],
    where: isSigned('link'),
    says: 'This is an in-toto link from before DSSE (“signed” and “signatures”); only DSSE envelopes are read.',
  },
  {
    has: [['signed'], ['signatures']],
    where: isSigned('layout'),
    says: 'This is an in-toto layout from before DSSE (“signed” and “signatures”): it says which steps are wanted, and no attestation is in it.',
  },
  {
    has: [['signed'], ['signatures']],
    where: isSigned('root', 'timestamp', 'snapshot', 'targets', 'mirrors'),
    says: 'This is TUF metadata: it says which keys and files to trust, and no attestation is in it.',
  },
  {
    has: [['signed'], ['signatures']],
    says: 'This is in-toto or TUF metadata from before DSSE (“signed” and “signatures”); only DSSE envelopes are read.',
  },
  {
    has: [['_type'], ['materials'], ['products']],
    says: 'This is an in-toto link without an envelope: there is no signature, so nobody vouches for it.',
  },
  {
    has: [['tlogs'], ['certificateAuthorities', 'timestampAuthorities', 'ctlogs']],
    says: 'This is a trusted root of Sigstore, the keys and certificates of its services; it holds no attestation.',
  },
  {
    has: [['kty']],
    says: 'This is a key (JWK). It can be added as a trusted key; it holds no attestation.',
  },
  {
    has: [['keyval'], ['keytype', 'scheme']],
    says: 'This is a key as in-toto and TUF write it; it holds no attestation.',
  },
  {
    has: [['publickeys', 'roots'], ['steps']],
    says: 'This is a policy of Witness: it says which attestations are wanted, and holds none.',
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
    has: [['ciphertext'], ['protected', 'recipients', 'unprotected']],
    says: 'This is a JWE, an encrypted token, and no attestation.',
  },
  {
    has: [['policyUri'], ['status']],
    says: 'This is the result of a policy scan. The attestation it judged is at its attestationUri.',
  },
  { has: [['bomFormat', 'components']], says: `This is a CycloneDX document ${alone}` },
  { has: [['spdxVersion', 'SPDXID', 'spdxId']], says: `This is an SPDX document ${alone}` },
  {
    has: [['buildDefinition'], ['runDetails']],
    says: `This is the predicate of SLSA provenance ${alone}`,
  },
  {
    has: [['builder'], ['buildType', 'recipe']],
    says: `This is the predicate of SLSA provenance ${alone}`,
  },
  {
    has: [['verifier'], ['verificationResult', 'verification_result']],
    says: `This is the predicate of a verification summary ${alone}`,
  },
  {
    has: [['$schema', 'version'], ['runs']],
    says: 'This is SARIF, the result of a code analysis, and no attestation.',
  },
  {
    has: [
      ['body', 'canonicalizedBody', 'SignedEntryTimestamp'],
      ['logIndex', 'logID', 'integratedTime', 'Payload'],
    ],
    says: 'This is an entry of a transparency log; paste the bundle or the envelope it is about.',
  },
  {
    has: [['schemaVersion'], ['manifests']],
    says: 'This is an OCI index: it lists manifests, and the attestation is in a layer of one of them.',
  },
  {
    has: [
      ['schemaVersion', 'artifactType'],
      ['layers', 'config', 'blobs'],
    ],
    says: 'This is an OCI manifest; the attestation is in one of its layers.',
  },
  {
    has: [['mediaType'], ['digest'], ['size']],
    says: 'This is an OCI descriptor: it names something by its digest. Fetch that and paste it.',
  },
  {
    has: [['critical'], ['optional']],
    says: 'This is a simple signing document of an image, and no attestation.',
  },
  { has: [['lockfileVersion']], says: 'This is a lock file of npm, and no attestation.' },
  { has: [['@context'], ['statements']], says: `This is an OpenVEX document ${alone}` },
]

function isSigned(...types: readonly string[]): NonNullable<JsonLook['where']> {
  return (tree, node) => {
    const type = textAt(tree, atPath(tree, node, 'signed'), '_type') ?? ''
    return types.includes(type.toLowerCase())
  }
}
