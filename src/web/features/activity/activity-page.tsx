import { Button, Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactElement, type SyntheticEvent, useId, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { countOf } from '../../../protocol/count.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import {
  actionsQuery,
  type EvaluationFilter,
  evaluationsQuery,
} from '../../data/scans/evaluation-history.ts'
import { packageText } from '../../domain/package/package-links.ts'
import { EmptyState } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import {
  activityAddress,
  type ActivityAddress,
  readPackageFilter,
  verdicts,
} from './activity-address.ts'
import css from './activity.module.css'
import pageCss from '../../ui/page.module.css'
import { HistoryTrouble, RecordingNotice } from './history-notices.tsx'
import { RunList, stepAlone } from './run-list.tsx'
import { useServices } from '../../data/core/services.ts'

/** Everything that was evaluated and done through this Sightline, by whom and when. */
export function ActivityPage(): ReactElement {
  const [search, setSearch] = useSearchParams()
  const address = activityAddress.read(search)
  const { show, scan, by, verdict } = address
  const of = readPackageFilter(address.package)
  const path = of.ok ? of.path : ''
  const needsVersion = show === 'actions' && path.endsWith('/*')
  const mistake = needsVersion
    ? 'Actions are recorded per version. Add @ and the version.'
    : of.ok
      ? undefined
      : of.mistake
  return (
    <div className={pageCss.page}>
      <h1 className={pageCss.sentence}>
        {show === 'evaluations'
          ? 'Who evaluated what, and with which result.'
          : 'Who published and waived what, and when.'}
      </h1>
      <Group gap="8px 16px">
        <nav className={css.choice} aria-label="Filters">
          <Link to={linkTo(address, 'evaluations')} aria-current={show === 'evaluations'}>
            Evaluations
          </Link>
          <Link to={linkTo(address, 'actions')} aria-current={show === 'actions'}>
            Actions
          </Link>
        </nav>
      </Group>
      <ActivityFilters
        key={search.toString()}
        address={address}
        mistake={mistake}
        onChange={(next) => {
          setSearch(activityAddress.write(next))
        }}
      />
      {show === 'evaluations' ? (
        <EvaluationActivity filter={{ path, scan, by }} verdict={verdict} />
      ) : (
        <ActionActivity subject={needsVersion ? '' : path} />
      )}
    </div>
  )
}

function linkTo(address: ActivityAddress, show: ActivityAddress['show']): string {
  return `?${activityAddress.write({ ...address, show }).toString()}`
}

/** What the lists are narrowed to: typed, and then looked up. */
function ActivityFilters({
  address,
  mistake,
  onChange,
}: {
  address: ActivityAddress
  /** What is wrong with the package. */
  mistake: string | undefined
  onChange: (address: ActivityAddress) => void
}): ReactElement {
  const [typed, setTyped] = useState(address)
  const id = useId()
  const isOfEvaluations = address.show === 'evaluations'
  function submit(event: SyntheticEvent): void {
    event.preventDefault()
    onChange(typed)
  }
  return (
    <>
      <form className={css.filters} role="search" aria-label="Activity" onSubmit={submit}>
        <label data-wide="true">
          Package
          <input
            value={typed.package}
            placeholder="pkg:oci/checkout or pkg:oci/checkout@2.4.0"
            autoComplete="off"
            spellCheck={false}
            aria-invalid={mistake !== undefined}
            aria-describedby={mistake === undefined ? undefined : id}
            onChange={(event) => {
              setTyped({ ...typed, package: event.currentTarget.value })
            }}
          />
        </label>
        {isOfEvaluations && (
          <>
            <label>
              Policy scan
              <input
                value={typed.scan}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => {
                  setTyped({ ...typed, scan: event.currentTarget.value })
                }}
              />
            </label>
            <label>
              Person
              <input
                value={typed.by}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => {
                  setTyped({ ...typed, by: event.currentTarget.value })
                }}
              />
            </label>
            <label>
              Verdict
              <select
                value={typed.verdict}
                onChange={(event) => {
                  const search = new URLSearchParams({ verdict: event.currentTarget.value })
                  const next = { ...typed, verdict: activityAddress.read(search).verdict }
                  setTyped(next)
                  onChange(next)
                }}
              >
                <option value="">any</option>
                {verdicts.map((verdict) => (
                  <option key={verdict} value={verdict}>
                    {verdict.replace('-', ' ')}
                  </option>
                ))}
              </select>
            </label>
          </>
        )}
        <Button variant="default" type="submit">
          Show
        </Button>
      </form>
      {mistake !== undefined && (
        <Text id={id} fw={600} c="var(--bad-ink)" role="alert">
          {mistake}
        </Text>
      )}
    </>
  )
}

/** All evaluations that the proxy recorded, of any package. */
function EvaluationActivity({
  filter,
  verdict,
}: {
  filter: EvaluationFilter
  verdict: ActivityAddress['verdict']
}): ReactElement {
  const query = useInfiniteQuery(evaluationsQuery(useServices().request, filter))
  const runs = query.data?.pages.flatMap(({ evaluations }) => evaluations) ?? []
  const recording = query.data?.pages[0]?.recording
  const shown = verdict === '' ? runs : runs.filter((run) => run.verdict === verdict)
  const among = `${countOf(runs.length, 'evaluation')}${query.hasNextPage ? ' so far, more available' : ''}`
  return (
    <>
      {recording !== undefined && <RecordingNotice recording={recording} />}
      {query.isError && (
        <HistoryTrouble
          what="Recorded evaluations"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <Text c="dimmed">Loading…</Text>}
      {query.isSuccess && (
        <Text c="dimmed" role="status">
          {verdict === '' ? `${among}.` : `${shown.length} of ${among}.`}
        </Text>
      )}
      {shown.length > 0 && <RunList steps={shown.map(stepAlone)} hasPackage />}
      {query.isSuccess && shown.length === 0 && (
        <EmptyState title="No evaluations match.">
          <p>Evaluations of policy scans are listed here. Remove a filter, or load older ones.</p>
        </EmptyState>
      )}
      {query.hasNextPage && (
        <button
          type="button"
          className={css.more}
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? 'Loading…' : 'Show older evaluations'}
        </button>
      )}
    </>
  )
}

/** What people did through the proxy: published, waived, ended a waiver, and whatever else it audits. */
function ActionActivity({ subject }: { subject: string }): ReactElement {
  const query = useInfiniteQuery(actionsQuery(useServices().request, subject))
  const actions = query.data?.pages.flatMap(({ actions: some }) => some) ?? []
  return (
    <>
      {query.isError && (
        <HistoryTrouble
          what="Audited actions"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {query.isPending && <Text c="dimmed">Loading…</Text>}
      {query.isSuccess && actions.length === 0 && (
        <EmptyState title="No actions yet.">
          <p>Published attestations and waivers are recorded here, with the person and the time.</p>
        </EmptyState>
      )}
      {actions.length > 0 && (
        <ol className={pageCss.box}>
          {actions.map(({ id, at, by, action, subject: of, detail }) => (
            <li key={id} className={css.row} data-action={action}>
              <span className={css.by}>{by}</span>
              <span className={css.detail}>{detail}</span>
              <span className={css.subject}>{subjectText(of)}</span>
              <RelativeTime at={at} />
            </li>
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <button
          type="button"
          className={css.more}
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? 'Loading…' : 'Show older actions'}
        </button>
      )}
    </>
  )
}

function subjectText(subject: string): string {
  const read = subject.startsWith('/packages/') ? readPackageReference(subject) : undefined
  return read?.ok === true ? packageText(read.reference.address) : subject
}
