import { Text } from '@mantine/core'
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import * as z from 'zod/mini'
import type { Decoded } from '../../../attestation/decode.ts'
import type { FindingCode } from '../../../attestation/decode/finding.ts'
import { noCrypto, subtleOf } from '../../../attestation/decode/bytes.ts'
import { attestationPath, readAttestationUri } from '../../../protocol/package-address.ts'
import { countText } from '../../../protocol/count.ts'
import { type AttestationRunner, useRunner } from '../../data/attestation/attestation-runner.ts'
import { useServices } from '../../data/core/services.ts'
import { PageHeader } from '../../ui/page.tsx'
import { useDraft } from '../../ui/drafts.ts'
import { useKeys } from '../../ui/keys.tsx'
import pageCss from '../../ui/page.module.css'
import { Notice } from '../../ui/notice.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { type Compared, fileDrop } from './compared-digest.ts'
import {
  EnvelopeInput,
  fitsField,
  type FragmentContent,
  type GivenInput,
  readEnvelopeFragment,
} from './envelope-input.tsx'
import { Findings, JobProgressBar, useJob } from './inspection.tsx'
import { MissingKeysNotice, TrustedKeysPanel } from './trusted-keys.tsx'
import { useTrustedKeys } from '../../domain/attestation/trusted-keys.ts'
import { forAnother, useViewAddress } from './view-address.ts'

const nothingKnown: readonly Compared[] = []

const loadView = () => import('./attestation-view.tsx')
/** Nobody needs it to paste something. */
const AttestationView = lazyPart(async () => (await loadView()).AttestationView)

/** Decodes and checks whatever attestation somebody has; nothing of it leaves the browser. */
export function DecodePage(): ReactElement {
  const runner = useRunner()
  const state = useViewAddress()
  const { fragment, given, job, decoded, files, subject, take, takeFiles, compareWith, clear } =
    useGivenInput(runner)
  const { clock } = useServices()
  useEffect(
    () =>
      // After all that is seen first; where it fails, the part asks for it again.
      clock.after(1000, () => {
        loadView().catch(() => undefined)
      }),
    [clock],
  )
  return (
    <div className={pageCss.page} {...fileDrop(takeFiles)}>
      <PageHeader sentence={headline(decoded)} />
      {given === undefined && (
        <Text c="dimmed" maw="80ch">
          Check whether its signatures are valid, who signed it, and whether its subject is the file
          you have.
        </Text>
      )}
      {subtleOf() === undefined && <Notice tone="bad">{noCrypto}</Notice>}
      <EnvelopeInput
        text={typeof given?.content === 'string' && fitsField(given.content) ? given.content : ''}
        given={given}
        files={files}
        onText={(text) => {
          take(text === '' ? undefined : { content: text, name: 'Pasted text' })
        }}
        onFiles={takeFiles}
        onChoose={(file) => {
          take({ content: file, name: file.name })
        }}
        onClear={clear}
      />
      {fragment.kind === 'broken' && (
        <Notice tone="bad" role="alert">
          {fragment.message}
        </Notice>
      )}
      <JobProgressBar job={job} />
      {job.state === 'failed' && (
        <Notice tone="bad" role="alert">
          Can't decode it: {job.reason}
        </Notice>
      )}
      {decoded?.ok === false && (
        <Notice tone="bad" role="alert">
          <Findings findings={decoded.mistakes} label="Problems" />
          <StoredLink given={given} />
        </Notice>
      )}
      {decoded?.ok === true ? (
        <AttestationView
          decoded={decoded}
          runner={runner}
          state={state}
          known={nothingKnown}
          file={subject}
          onFile={compareWith}
        />
      ) : (
        <KeysAlone runner={runner} />
      )}
    </div>
  )
}

function headline(decoded: Decoded | undefined): string {
  if (decoded?.ok !== true) return 'Decode and check an attestation'
  const count = decoded.items.length
  return count === 1 ? 'A decoded attestation' : `${countText(count)} decoded attestations`
}

/** The address of a stored attestation was pasted: it has a page of its own. */
function StoredLink({ given }: { given: GivenInput | undefined }): ReactElement | null {
  const text = typeof given?.content === 'string' ? given.content.trim() : ''
  const address = text.length > 4_000 || /\s/.test(text) ? undefined : readAttestationUri(text)
  if (address === undefined) return null
  return (
    <p>
      This is the URL of a stored attestation:{' '}
      <Link to={attestationPath(address)}>open it here</Link>.
    </p>
  )
}

function KeysAlone({ runner }: { runner: AttestationRunner }): ReactElement {
  const trusted = useTrustedKeys()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <MissingKeysNotice trusted={trusted} />
      <TrustedKeysPanel runner={runner} trusted={trusted} isOpen={isOpen} onOpen={setOpen} />
    </>
  )
}

/** Text that was pasted; files are read again. */
const KeptInput = z.object({ content: z.string(), name: z.string() })

/** A sign-in token is a wrong paste. */
const secretCodes: readonly FindingCode[] = ['private-key', 'wrong-paste']

/** What was given, and the fragment in place of which it is shown until the address is without that. */
interface Own {
  readonly given: GivenInput
  readonly over: string
}

interface GivenState {
  readonly fragment: FragmentContent
  readonly given: GivenInput | undefined
  readonly job: ReturnType<typeof useJob<'decode'>>
  /** What came of it; of a private key that is all that is left. */
  readonly decoded: Decoded | undefined
  readonly files: readonly File[]
  /** The file that the subjects are compared with. */
  readonly subject: File | undefined
  readonly take: (given: GivenInput | undefined) => void
  readonly takeFiles: (files: readonly File[]) => void
  readonly compareWith: (file: File) => void
  readonly clear: () => void
}

/** What is decoded: what was given or opened last; the fragment of the address carries the latter. */
function useGivenInput(runner: AttestationRunner): GivenState {
  const { hash, pathname, search } = useLocation()
  const navigate = useNavigate()
  const fragment = useMemo(() => readEnvelopeFragment(hash), [hash])
  const fromLink = useMemo<GivenInput | undefined>(
    () =>
      fragment.kind === 'bytes'
        ? { content: new TextDecoder().decode(fragment.bytes), name: 'From the link' }
        : undefined,
    [fragment],
  )
  const newest = useRef<GivenInput>(undefined)
  const kept = useDraft('decode', KeptInput, () => {
    const { content, name } = newest.current ?? {}
    return typeof content === 'string' && name !== undefined ? { content, name } : undefined
  })
  const [own, setOwn] = useState<Own | undefined>(kept && { given: kept, over: '' })
  // Of a private key nothing stays, neither in the field nor in the address.
  const [refused, setRefused] = useState<{ readonly hash: string; readonly decoded: Decoded }>()
  const linked = refused?.hash === hash ? undefined : fromLink
  // A link that is opened afterwards says what is shown, and what was given comes back without it.
  const given = fragment.kind === 'none' || own?.over === hash ? (own?.given ?? linked) : linked
  const job = useJob(
    runner,
    useMemo(
      () => (given === undefined ? undefined : ({ kind: 'decode', input: given.content } as const)),
      [given],
    ),
  )
  const result = job.state === 'done' ? job.result : undefined
  const secrets = result?.mistakes.filter(({ code }) => code === 'private-key') ?? []
  if (secrets.length > 0 && typeof given?.content === 'string') {
    setOwn(undefined)
    setRefused({ hash, decoded: { ok: false, mistakes: secrets } })
  }
  useEffect(() => {
    if (hash !== '' && refused?.hash === hash)
      void navigate({ pathname, search }, { replace: true })
  }, [refused, hash, pathname, search, navigate])
  useEffect(() => {
    // What may be a secret is for nobody to keep.
    const isHarmless = result?.mistakes.every(({ code }) => !secretCodes.includes(code))
    newest.current = isHarmless === true ? own?.given : undefined
  })
  // The same link may be opened anew, also before the page was shown without it.
  useEffect(() => {
    function forgetOver(): void {
      setOwn((own) => own && { ...own, over: '' })
    }
    window.addEventListener('popstate', forgetOver)
    return () => {
      window.removeEventListener('popstate', forgetOver)
    }
  }, [])
  const [files, setFiles] = useState<readonly File[]>([])
  const [subject, setSubject] = useState<File>()

  function take(given: GivenInput | undefined): void {
    setOwn(given && { given, over: hash })
    setRefused(undefined)
    setSubject(undefined)
    // The link is no longer that of what is shown, and which part was looked at means nothing now.
    const kept = forAnother(new URLSearchParams(search)).toString()
    void navigate({ pathname, search: kept }, { replace: true })
  }

  function takeFiles(next: readonly File[]): void {
    const [first] = next
    if (first === undefined) return
    setFiles(next)
    take({ content: first, name: first.name })
  }

  function clear(): void {
    setFiles([])
    take(undefined)
  }

  useKeys('Decode', [{ keys: ['x'], label: 'Clear', run: clear }])
  return {
    fragment,
    given,
    job,
    decoded: given === undefined ? refused?.decoded : result,
    files,
    subject,
    take,
    takeFiles,
    compareWith: setSubject,
    clear,
  }
}
