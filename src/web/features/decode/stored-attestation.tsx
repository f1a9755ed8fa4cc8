import { Button, Group, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo, useState } from 'react'
import { Link, useLocation } from 'react-router'
import type { FindingCode } from '../../../attestation/decode/finding.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { noCrypto, subtleOf } from '../../../attestation/decode/bytes.ts'
import {
  type AttestationAddress,
  attestationPath,
  packagePath,
  readAttestationUri,
} from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { useRunner } from '../../data/attestation/attestation-runner.ts'
import { storedAttestationQuery } from '../../data/attestation/stored-attestation.ts'
import { useSilence, useWaitStart } from '../../domain/silence/silence.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { download } from '../../ui/download.ts'
import { EmptyState, PageHeader } from '../../ui/page.tsx'
import { IdText } from '../../ui/text.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import { AttestationView } from './attestation-view.tsx'
import { fileDrop } from './compared-digest.ts'
import pageCss from '../../ui/page.module.css'
import { Notice } from '../../ui/notice.tsx'
import { Findings, JobProgressBar, loadProblem, useJob } from './inspection.tsx'
import { useViewAddress } from './view-address.ts'
import { useServices } from '../../data/core/services.ts'

/** One stored attestation: fetched, decoded, checked, and compared with the package of its address. */
function StoredAttestation({ address }: { address: AttestationAddress }): ReactElement {
  const runner = useRunner()
  const state = useViewAddress()
  const [file, setFile] = useState<File>()
  const { data, error, isFetching, refetch } = useQuery(
    storedAttestationQuery(useServices().request, address),
  )
  const isAwaited = error === null && data === undefined
  const silence = useSilence(useWaitStart(isAwaited ? 0 : undefined), 'policy service')
  const job = useJob(
    runner,
    useMemo(
      () => (data === undefined ? undefined : ({ kind: 'decode', input: data } as const)),
      [data],
    ),
  )
  const { digestType, digest } = address
  const known = useMemo(
    () => [{ what: 'this package', digests: [{ algorithm: digestType, value: digest }] }],
    [digestType, digest],
  )
  const decoded = job.state === 'done' ? job.result : undefined
  const path = attestationPath(address)
  return (
    <div
      className={pageCss.page}
      {...fileDrop(([first]) => {
        setFile(first)
      })}
    >
      <PageHeader sentence={`Attestation of ${visibleText(packageText(address))}`} />
      <Group gap="4px 16px" c="dimmed">
        <Link to={packageLink(address)}>Package</Link>
        <span>
          {digestType}:<IdText id={digest} />{' '}
          <CopyButton text={`${digestType}:${digest}`} what="digest of the package" />
        </span>
        <span>
          stored in {visibleText(address.instance)} as <IdText id={address.id} />{' '}
          <CopyButton text={path} what="URL of the attestation" />
        </span>
      </Group>
      {subtleOf() === undefined && <Notice tone="bad">{noCrypto}</Notice>}
      {error !== null && (
        <ProblemPanel problem={loadProblem(error)} retry={{ label: 'Try again', run: refetch }} />
      )}
      {isAwaited && (
        <>
          <p role="status">{silence}</p>
          <Skeleton height={120} />
        </>
      )}
      <JobProgressBar job={job} />
      {job.state === 'failed' && (
        <Notice tone="bad" role="alert">
          Can't decode it: {job.reason}
        </Notice>
      )}
      {decoded?.ok === false && (
        <Notice
          tone="bad"
          role="alert"
          action={
            <Group gap={8}>
              <Button
                size="compact-xs"
                variant="default"
                aria-disabled={isFetching}
                onClick={() => {
                  if (!isFetching) void refetch()
                }}
              >
                {isFetching ? 'Trying again…' : 'Try again'}
              </Button>
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => {
                  if (data !== undefined) download(data, 'response.txt')
                }}
              >
                Download response
              </Button>
            </Group>
          }
        >
          <p>The policy service's response isn't an attestation.</p>
          <Findings
            findings={decoded.mistakes.map((found) => ({
              ...found,
              message: ofResponse.get(found.code) ?? found.message,
            }))}
            label="Problems"
          />
        </Notice>
      )}
      {decoded?.ok === true && (
        <AttestationView
          decoded={decoded}
          runner={runner}
          state={state}
          link={location.href}
          known={known}
          file={file}
          onFile={setFile}
        />
      )}
    </div>
  )
}

/** What is wrong with a response, where decoding it speaks to someone who pasted it. */
const ofResponse: ReadonlyMap<FindingCode, string> = new Map([
  ['empty', 'It is empty.'],
  ['not-json', "It isn't JSON or base64."],
])

/** The page of the package, with its digest: it is asked for there. */
function packageLink(address: AttestationAddress): string {
  const { digestType, digest } = address
  const search =
    digestType === 'sha256' ? `?${new URLSearchParams({ sha256: digest }).toString()}` : ''
  return `${packagePath(address)}${search}`
}

/** A stored attestation at its own address; an address that cannot be one is said so at once. */
export function StoredAttestationPage(): ReactElement {
  const { pathname } = useLocation()
  const address = readAttestationUri(pathname)
  if (address !== undefined) return <StoredAttestation key={pathname} address={address} />
  return (
    <EmptyState title="Not the URL of an attestation." heading="h1">
      <p>
        The URL of an attestation ends with the package digest, “attestations”, a store and an id:
        …/sha256:4f2f…/attestations/s3:release/…. It may be incomplete.
      </p>
      <p>
        <Link to="/decode">Decode an attestation</Link>
      </p>
    </EmptyState>
  )
}
