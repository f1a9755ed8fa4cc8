import { Box, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { countOf } from '../../../protocol/count.ts'
import { actionsQuery } from '../../data/audit/audit-log.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { useServices } from '../../data/core/services.ts'
import { useFreshQuery } from '../../data/core/queries.tsx'
import { type EvaluationFilter, evaluationsQuery } from '../../data/scans/evaluation-history.ts'
import { useMay } from '../../domain/permission/may.ts'
import { ClearFilters, FoldedFilters } from '../../ui/folded-filters.tsx'
import { EmptyState, PageHeader } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { RelativeTime } from '../../ui/time.tsx'
import {
  activityAddress,
  type ActivityAddress,
  readPackageFilter,
  verdicts,
} from './activity-address.ts'
import css from './activity.module.css'
import { AlertList } from './alert-list.tsx'
import { AuditLog, Subject } from './audit-log.tsx'
import { HistoryList, ViewChoice } from './history-list.tsx'
import { RunList, stepAlone } from './run-list.tsx'

/** Everything that was evaluated and done through this Sightline, by whom and when. */
export function ActivityPage(): ReactElement {
  const [address, change] = useSearchState(activityAddress)
  const { show, scan, by, verdict } = address
  const of = readPackageFilter(address.package)
  const path = of.ok ? of.path : ''
  const needsVersion = show === 'actions' && path.endsWith('/*')
  const mistake = needsVersion
    ? 'Actions are recorded per version. Add @ and the version.'
    : of.ok
      ? undefined
      : of.mistake
  const mayReadAll = useMay('read-audit-log')
  const viewTo = (view: ActivityAddress['show']): string =>
    `?${activityAddress.write({ ...address, show: view }).toString()}`
  return (
    <div className={pageCss.page}>
      <PageHeader
        sentence={sentences[show]}
        actions={
          <ViewChoice
            label="Activity"
            views={[
              { to: viewTo('evaluations'), name: 'Evaluations', isShown: show === 'evaluations' },
              { to: viewTo('actions'), name: 'Actions', isShown: show === 'actions' },
              { to: viewTo('alerts'), name: 'Alerts', isShown: show === 'alerts' },
              ...(mayReadAll.isAllowed
                ? [{ to: viewTo('audit'), name: 'Audit log', isShown: show === 'audit' }]
                : []),
            ]}
          />
        }
      />
      {show !== 'audit' && show !== 'alerts' && (
        <ActivityFilters
          key={activityAddress.write(address).toString()}
          address={address}
          mistake={mistake}
          onChange={change}
        />
      )}
      {show === 'evaluations' && (
        <EvaluationActivity
          filter={{ path, scan, by }}
          verdict={verdict}
          onClear={() => {
            change({ package: '', scan: '', by: '', verdict: '' })
          }}
        />
      )}
      {show === 'actions' && (
        <ActionActivity
          subject={needsVersion ? '' : path}
          onClear={() => {
            change({ package: '' })
          }}
          whoReadsMore={
            mayReadAll.isAllowed
              ? undefined
              : `Sign-ins, refusals and addresses are in the audit log. ${mayReadAll.reason}`
          }
        />
      )}
      {show === 'alerts' && (
        <AlertList
          isFailedOnly={address.isUndelivered}
          onFailedOnly={(isUndelivered) => {
            change({ isUndelivered })
          }}
        />
      )}
      {show === 'audit' &&
        (mayReadAll.isAllowed ? (
          <AuditLog address={address} onChange={change} />
        ) : (
          <EmptyState title="You can't read the audit log.">
            <p>{mayReadAll.reason}</p>
          </EmptyState>
        ))}
    </div>
  )
}

const sentences: Readonly<Record<ActivityAddress['show'], string>> = {
  evaluations: 'Recorded evaluations',
  actions: 'Recorded actions',
  alerts: 'Alert deliveries',
  audit: 'Audit log',
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
  onChange: (change: Partial<ActivityAddress>) => void
}): ReactElement {
  const [typed, setTyped] = useState(address)
  const { show, package: of, scan, by, verdict } = address
  const active = [of, ...(show === 'evaluations' ? [scan, by, verdict] : [])].filter(
    (value) => value !== '',
  ).length
  const field = (name: 'package' | 'scan' | 'by') => ({
    autoComplete: 'off',
    spellCheck: false,
    value: typed[name],
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => {
      setTyped({ ...typed, [name]: event.currentTarget.value })
    },
  })
  return (
    <form
      role="search"
      aria-label="Activity"
      onSubmit={(event) => {
        event.preventDefault()
        onChange(typed)
      }}
    >
      <FoldedFilters label="Filters" active={active} startsOpen={mistake !== undefined}>
        <Group gap={8} align="flex-start" flex={1}>
          <TextInput
            {...field('package')}
            label="Package"
            flex="1 1 18rem"
            maw={576}
            placeholder="pkg:oci/checkout or pkg:oci/checkout@2.4.0"
            error={mistake}
          />
          {show === 'evaluations' && (
            <>
              <TextInput {...field('scan')} label="Policy scan" />
              <TextInput {...field('by')} label="Person" />
              <NativeSelect
                label="Verdict"
                value={typed.verdict}
                onChange={(event) => {
                  const search = new URLSearchParams({ verdict: event.currentTarget.value })
                  onChange({ ...typed, verdict: activityAddress.read(search).verdict })
                }}
                data={[
                  { value: '', label: 'Any' },
                  ...verdicts.map((value) => ({ value, label: verdictNames[value] })),
                ]}
              />
            </>
          )}
          <Button variant="default" type="submit" mt={22}>
            Show
          </Button>
        </Group>
      </FoldedFilters>
    </form>
  )
}

const verdictNames: Record<(typeof verdicts)[number], string> = {
  releasable: 'Releasable',
  'not-releasable': 'Not releasable',
  undecided: 'Inconclusive',
  'nothing-applied': 'No policies apply',
}

/** All evaluations that the proxy recorded, of any package. */
function EvaluationActivity({
  filter,
  verdict,
  onClear,
}: {
  filter: EvaluationFilter
  verdict: ActivityAddress['verdict']
  onClear: () => void
}): ReactElement {
  const ofFilter = evaluationsQuery(useServices().request, filter)
  const query = useInfiniteQuery(ofFilter)
  useFreshQuery('evaluations', ofFilter.queryKey)
  const runs = query.data?.pages.flatMap(({ evaluations }) => evaluations) ?? []
  const shown = verdict === '' ? runs : runs.filter((run) => run.verdict === verdict)
  const among = `${countOf(runs.length, 'evaluation')}${query.hasNextPage ? ' so far, more available' : ''}`
  const isFiltered = verdict !== '' || Object.values(filter).some((value) => value !== '')
  return (
    <HistoryList query={query} noun="evaluations" recording={query.data?.pages[0]?.recording}>
      {query.isSuccess && (
        <Text c="dimmed" role="status">
          {verdict === '' ? `${among}.` : `${shown.length} of ${among}.`}
        </Text>
      )}
      {shown.length > 0 && <RunList steps={shown.map(stepAlone)} hasPackage />}
      {query.isSuccess && shown.length === 0 && (
        <EmptyState
          title={isFiltered ? 'No evaluations match.' : 'No evaluations yet.'}
          action={isFiltered && <ClearFilters onClear={onClear} />}
        >
          <p>
            {isFiltered
              ? `Filters hide all of them${query.hasNextPage ? '. Older evaluations may match' : ''}.`
              : 'Evaluations of policy scans are listed here, with the person and the verdict.'}
          </p>
        </EmptyState>
      )}
    </HistoryList>
  )
}

/** What people did through the proxy: published, waived, ended a waiver, and whatever else it audits. */
function ActionActivity({
  subject,
  whoReadsMore,
  onClear,
}: {
  subject: string
  onClear: () => void
  /** Who may read what is not listed here; undefined for those who may. */
  whoReadsMore: string | undefined
}): ReactElement {
  const query = useInfiniteQuery(actionsQuery(useServices().request, subject))
  const actions = query.data?.pages.flatMap(({ actions: some }) => some) ?? []
  return (
    <HistoryList query={query} noun="actions">
      {whoReadsMore !== undefined && <Text c="dimmed">{whoReadsMore}</Text>}
      {query.isSuccess && actions.length === 0 && (
        <EmptyState
          title={subject === '' ? 'No actions yet.' : 'No actions match.'}
          action={subject !== '' && <ClearFilters onClear={onClear} />}
        >
          <p>Published attestations and waivers are recorded here, with the person and the time.</p>
        </EmptyState>
      )}
      {actions.length > 0 && (
        <ol className={pageCss.box}>
          {actions.map(({ id, at, by, action, subject: of, detail }) => (
            <li
              key={id}
              className={css.row}
              style={{ gridTemplateColumns: '10rem minmax(0, 5fr) minmax(0, 3fr) 7rem' }}
              data-action={action}
            >
              <strong>{by}</strong>
              <span className={css.wide}>{detail}</span>
              <Box component="span" ff="monospace" fz="xs">
                <Subject subject={of} />
              </Box>
              <RelativeTime at={at} />
            </li>
          ))}
        </ol>
      )}
    </HistoryList>
  )
}
