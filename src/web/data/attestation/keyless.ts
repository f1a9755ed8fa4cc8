import { verifySignature } from '@freedomofpress/crypto-browser'
import {
  SigstoreVerifier,
  verifyBundleTimestamp,
  X509Certificate,
} from '@freedomofpress/sigstore-browser'
import { decodeBase64 } from '../../../attestation/decode/base64.ts'
import type { Envelope, LogEntry } from '../../../attestation/decode/envelope.ts'
import { identityOf } from '../../../attestation/keys/identity.ts'
import { logEntryFit } from '../../../attestation/signatures/log-entry-fit.ts'
import { pae } from '../../../attestation/signatures/pae.ts'
import type { SignatureVerdict } from '../../../attestation/signatures/signature-verdict.ts'
import {
  readTrustedRoot,
  type SigstoreTrust,
  type TrustedIdentity,
  type TrustedRoot,
} from '../../../protocol/proxy-config.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'

/** One thing that was checked of a keyless bundle, or why it was not. */
export interface KeylessCheck {
  readonly name: string
  readonly state: 'passed' | 'failed' | 'not-checked'
  readonly detail: string
}

export interface KeylessResult {
  readonly checks: readonly KeylessCheck[]
  /** The trusted identity that signed it: only where everything that is needed passed. */
  readonly signer: TrustedIdentity | undefined
}

/**
 * Checks a bundle with a short-lived certificate offline, up to the trusted root: the signature (a
 * second time, by other code than our own: both must agree), the certificate and its log, the entry of
 * the transparency log, the time, and the identity (docs/attestations.md#keyless-bundles). Everything
 * that has no certificate is undefined. Never throws: what breaks has failed.
 */
export async function checkKeyless(
  envelope: Envelope,
  verdicts: readonly SignatureVerdict[],
  { trustedRoot, identities }: SigstoreTrust,
): Promise<KeylessResult | undefined> {
  const [certificate] = envelope.certificates
  const [verdict, ...others] = verdicts
  if (certificate === undefined || verdict === undefined || envelope.source === 'envelope') {
    return undefined
  }
  const root = readTrustedRoot(trustedRoot)
  const leaf = await outcomeOf(() => X509Certificate.parse(bytesOf(certificate)))
  if (!root.success || !leaf.ok) {
    const detail = root.success
      ? "The certificate can't be read."
      : "The trusted root can't be read. Check sigstore.trustedRoot in the configuration."
    return { checks: [failed('Certificate', detail)], signer: undefined }
  }
  const checker = createChecker(envelope, certificate, leaf.value, root.data)
  const signature =
    others.length > 0
      ? failed('Signature', 'A bundle has exactly one signature.')
      : await checker.signature(verdict)
  const timestamps = await checker.timestamps()
  const log = await checker.log()
  const times = [...timestamps.times, ...log.times]
  const chain = await checker.chain(times)
  const signer = signerIn(certificate, leaf.value, identities)
  const needed = [
    signature,
    ...chain.checks,
    await checker.certificateLog(chain.issuer),
    ...log.checks,
    ...timestamps.checks,
    timeCheck(times),
    signer.check,
  ]
  const isTrusted = needed.every(({ state }) => state !== 'failed')
  return { checks: [...needed, ...neverChecked], signer: isTrusted ? signer.identity : undefined }
}

/** What no check here can know, by name. */
const neverChecked: readonly KeylessCheck[] = [
  notChecked('Trusted root', "Whether it is the newest one isn't checked: no server is contacted."),
  notChecked('Log consistency', "Whether the log shows everyone the same entries isn't checked."),
]

function passed(name: string, detail: string): KeylessCheck {
  return { name, state: 'passed', detail }
}
function failed(name: string, detail: string): KeylessCheck {
  return { name, state: 'failed', detail }
}
function notChecked(name: string, detail: string): KeylessCheck {
  return { name, state: 'not-checked', detail }
}

interface Timed {
  readonly checks: readonly KeylessCheck[]
  /** When the signature existed, as far as somebody trusted signed that. */
  readonly times: readonly Date[]
}

function createChecker(
  envelope: Envelope,
  certificate: string,
  leaf: X509Certificate,
  root: TrustedRoot,
) {
  const verifier = new SigstoreVerifier()
  const [{ sig = new Uint8Array() } = {}] = envelope.signatures
  const rfc3161Timestamps = envelope.timestamps.map((signedTimestamp) => ({ signedTimestamp }))

  /** A bundle with one log entry, as the library reads it. */
  const bundleWith = (entry: LogEntry) => ({
    mediaType: envelope.mediaType ?? '',
    verificationMaterial: {
      certificate: { rawBytes: certificate },
      tlogEntries: [libraryEntry(entry)],
      timestampVerificationData: { rfc3161Timestamps },
    },
    dsseEnvelope: { payload: '', payloadType: envelope.payloadType, signatures: [] },
  })

  async function signature(verdict: SignatureVerdict): Promise<KeylessCheck> {
    const { proof } = verdict
    const isOurs = verdict.verdict === 'verified' && verdict.key?.certificate !== undefined
    const hash = proof !== undefined && 'hash' in proof.scheme ? proof.scheme.hash : 'SHA-256'
    const theirs = await outcomeOf(async () =>
      verifySignature(
        await leaf.publicKeyObj,
        pae(envelope.payloadType, envelope.payload),
        sig,
        hash.toLowerCase().replace('-', ''),
      ),
    )
    const isTheirs = theirs.ok && theirs.value
    if (isOurs && isTheirs) return passed('Signature', "The certificate's key verifies it.")
    if (isOurs === isTheirs) return failed('Signature', "The certificate's key doesn't verify it.")
    return failed('Signature', 'Two implementations disagree about it, so it counts for nothing.')
  }

  async function chain(
    times: readonly Date[],
  ): Promise<{ checks: KeylessCheck[]; issuer: X509Certificate | undefined }> {
    const name = 'Certificate'
    const path = await outcomeOf(async () => {
      const authorities = verifier.loadCA(leaf.notBefore, root.certificateAuthorities)
      // It must have been valid at every moment that somebody vouches for, and its issuers too.
      for (const time of times) await verifier.verifyCertificateChain(time, leaf, authorities)
      return verifier.verifyCertificateChain(leaf.notBefore, leaf, authorities)
    })
    const identity = identityOf(certificate)
    const isForCode = identity?.purposes.includes(codeSigning) === true && !identity.isAuthority
    const purpose = isForCode
      ? passed('Certificate purpose', 'It is a certificate for signing code.')
      : failed('Certificate purpose', "It isn't a certificate for signing code.")
    if (!path.ok) {
      const reason = path.reason.replace(/^failed to verify certificate chain: /, '')
      const detail = `The certificate doesn't lead to the trusted root, or wasn't valid when it signed: ${reason}.`
      return { checks: [failed(name, detail), purpose], issuer: undefined }
    }
    const check =
      times.length > 0
        ? passed(name, 'It leads to the trusted root and was valid when it signed.')
        : notChecked(name, "It leads to the trusted root; whether it was valid then isn't known.")
    return { checks: [check, purpose], issuer: path.value[1] }
  }

  async function certificateLog(issuer: X509Certificate | undefined): Promise<KeylessCheck> {
    const name = 'Certificate log'
    if (root.ctlogs.length === 0) {
      return notChecked(name, 'The trusted root names no certificate log.')
    }
    if (issuer === undefined) return notChecked(name, "The certificate's issuer isn't known.")
    const logs = await outcomeOf(async () =>
      verifier.verifySCT(leaf, issuer, await verifier.loadCTLogs(leaf.notBefore, root.ctlogs)),
    )
    if (!logs.ok) return failed(name, `No trusted log promises to list it: ${logs.reason}.`)
    return passed(name, 'A trusted log promises to list the certificate (SCT).')
  }

  async function log(): Promise<Timed> {
    const name = 'Transparency log'
    const { logEntries } = envelope
    if (root.tlogs.length === 0) {
      const detail = 'The trusted root names no transparency log.'
      return { checks: [notChecked(name, detail)], times: [] }
    }
    if (logEntries.length === 0) {
      return { checks: [failed(name, 'The bundle has no log entry.')], times: [] }
    }
    if (logEntries.length > mostEntries) {
      return { checks: [failed(name, 'The bundle has too many log entries.')], times: [] }
    }
    const all: Timed[] = []
    for (const entry of logEntries) all.push(await entryChecks(entry))
    return {
      checks: all.flatMap(({ checks }) => checks),
      times: all.flatMap(({ times }) => times),
    }
  }

  async function entryChecks(entry: LogEntry): Promise<Timed> {
    const seconds = Number(entry.integratedTime ?? '0')
    const logged = seconds > 0 ? new Date(seconds * 1000) : undefined
    const fit = await logEntryFit(entry, envelope, crypto.subtle)
    const isOurs = fit === 'fits' && namesCertificate(entry, certificate)
    const content = isOurs
      ? passed('Log entry', 'It is about this envelope and its certificate.')
      : failed('Log entry', "It isn't about this envelope, its signature and its certificate.")
    const promise = await entryTimestamp(entry, logged)
    const proof = await inclusionProof(entry)
    const checks = [content, promise, proof]
    if (promise.state !== 'passed' && proof.state !== 'passed') {
      checks.push(failed('Transparency log', 'No trusted log vouches for the entry.'))
    }
    // Nothing but the promise covers the time.
    const isTimed = promise.state === 'passed' && logged !== undefined
    return { checks, times: isTimed ? [logged] : [] }
  }

  async function entryTimestamp(entry: LogEntry, logged: Date | undefined): Promise<KeylessCheck> {
    const name = 'Signed entry timestamp'
    const own = root.tlogs.filter(({ logId }) => logId.keyId === entry.logId)
    const at = logged ?? leaf.notBefore
    const checked = await outcomeOf(async () => {
      const rekor = await verifier.loadLog(at, own)
      if (rekor === undefined) throw new Error('the trusted root has no such log for that time')
      return verifier.verifyInclusionPromise(leaf, bundleWith(entry), rekor)
    })
    if (!checked.ok) return failed(name, `The log's promise doesn't hold: ${checked.reason}.`)
    if (entry.promise === undefined) return notChecked(name, 'The entry has none.')
    return passed(name, 'The log signed when it took the entry in.')
  }

  async function inclusionProof(entry: LogEntry): Promise<KeylessCheck> {
    const name = 'Inclusion proof'
    if (entry.proof === undefined) return notChecked(name, 'The entry has none.')
    const { checkpoint, treeSize } = entry.proof
    if (checkpoint === undefined) {
      return notChecked(name, 'The log has not signed its root hash.')
    }
    // The second line of a checkpoint; the library compares the root hash alone.
    if (checkpoint.split('\n')[1] !== treeSize) {
      return failed(name, 'The entry is proven for a tree of another size than the log signed.')
    }
    const checked = await outcomeOf(async () => {
      // Keeps the root before it looks for certificate logs, which are checked apart.
      await verifier.loadSigstoreRoot(root).catch(() => undefined)
      await verifier.verifyInclusionProof(bundleWith(entry))
    })
    if (!checked.ok) return failed(name, `The entry isn't proven: ${checked.reason}.`)
    return passed(name, 'The entry is in the tree that the log signed.')
  }

  async function timestamps(): Promise<Timed> {
    const name = 'Timestamp'
    if (rfc3161Timestamps.length === 0) return { checks: [], times: [] }
    if (root.timestampAuthorities.length === 0) {
      const detail = 'The trusted root names no timestamp authority.'
      return { checks: [notChecked(name, detail)], times: [] }
    }
    if (rfc3161Timestamps.length > mostEntries) {
      return { checks: [failed(name, 'The bundle has too many timestamps.')], times: [] }
    }
    const found = await outcomeOf(() =>
      verifyBundleTimestamp({ rfc3161Timestamps }, sig, root.timestampAuthorities),
    )
    if (!found.ok) {
      return { checks: [failed(name, `It can't be trusted: ${found.reason}.`)], times: [] }
    }
    const detail = 'A trusted authority vouches for the time of signing.'
    return { checks: [passed(name, detail)], times: found.value }
  }

  return { signature, chain, certificateLog, log, timestamps }
}

/** Extended key usage "code signing" (RFC 5280, 4.2.1.12). */
const codeSigning = '1.3.6.1.5.5.7.3.3'
/** As many log entries and timestamps are checked of one bundle; one is usual. */
const mostEntries = 32

function timeCheck(times: readonly Date[]): KeylessCheck {
  return times.length > 0
    ? passed('Signing time', 'A trusted authority vouches for it.')
    : failed('Signing time', 'No trusted time of signing.')
}

/** Entries of Rekor 2 have the certificate as it is; the library compares that of all others. */
function namesCertificate({ canonicalizedBody, version }: LogEntry, certificate: string): boolean {
  const body = decodeBase64(canonicalizedBody)
  const text = body.ok ? new TextDecoder().decode(body.bytes) : ''
  return version !== '0.0.2' || !text.includes('V002') || text.includes(certificate)
}

function libraryEntry({ promise, proof, ...entry }: LogEntry) {
  const { logIndex, logId, kind, version, integratedTime, canonicalizedBody } = entry
  return {
    logIndex,
    logId: { keyId: logId },
    kindVersion: { kind, version },
    integratedTime: integratedTime ?? null,
    canonicalizedBody,
    ...(promise === undefined ? {} : { inclusionPromise: { signedEntryTimestamp: promise } }),
    ...(proof === undefined
      ? {}
      : {
          inclusionProof: {
            ...proof,
            hashes: [...proof.hashes],
            checkpoint: { envelope: proof.checkpoint ?? '' },
          },
        }),
  }
}

function signerIn(
  certificate: string,
  leaf: X509Certificate,
  identities: readonly TrustedIdentity[],
): { readonly check: KeylessCheck; readonly identity: TrustedIdentity | undefined } {
  const name = 'Identity'
  const own = identityOf(certificate)
  const [subject, ...more] = own?.names ?? []
  const issuer = own?.oidcIssuer
  const theirIssuer = leaf.extFulcioIssuerV2?.issuer ?? leaf.extFulcioIssuerV1?.issuer
  if (subject === undefined || more.length > 0 || issuer === undefined) {
    const detail = "The certificate doesn't name exactly one identity and its issuer."
    return { check: failed(name, detail), identity: undefined }
  }
  if (leaf.subjectAltName !== subject.value || theirIssuer !== issuer) {
    const detail = 'Two implementations read another identity, so it counts for nothing.'
    return { check: failed(name, detail), identity: undefined }
  }
  const identity = identities.find((one) => one.issuer === issuer && matches(one, subject.value))
  const check = identity
    ? passed(name, `It is “${identity.name}”.`)
    : failed(name, 'No trusted identity of the configuration is meant.')
  return { check, identity }
}

/** By the whole value: a pattern that matches a part of it would trust strangers. */
function matches({ identity, identityRegexp }: TrustedIdentity, value: string): boolean {
  if (identity !== undefined) return identity === value
  return identityRegexp !== undefined && new RegExp(`^(?:${identityRegexp})$`, 'u').test(value)
}

type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string }

async function outcomeOf<T>(run: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await run() }
  } catch (error) {
    const message = reasonOf(error)
    const reason = message
      .replace(/[.\s]+$/, '')
      .replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())
    return { ok: false, reason }
  }
}

function bytesOf(base64: string): Uint8Array {
  const decoded = decodeBase64(base64)
  return decoded.ok ? decoded.bytes : new Uint8Array()
}
