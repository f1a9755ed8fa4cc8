import { Button, Group, NativeSelect, Progress, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import {
  actorKinds,
  auditActions,
  type AuditedAction,
  auditOutcomes,
} from '../../../protocol/audit-log.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { type AuditFilter, auditLogQuery, type ExportProgress } from '../../data/audit/audit-log.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { usePageServices, useServices } from '../../data/core/services.ts'
import { download } from '../../ui/download.ts'
import { ExportChoices } from '../../ui/export-choices.tsx'
import { ClearFilters, FoldedFilters } from '../../ui/folded-filters.tsx'
import { EmptyState } from '../../ui/page.tsx'
import pageCss from '../../ui/page.module.css'
import { ProblemPanel } from '../../ui/problem.tsx'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageText, readPackageReference } from '../../../protocol/package-reference.ts'
import type { AuditAddress } from './activity-address.ts'
import { auditFilter } from './activity-address.ts'
import css from './activity.module.css'
import { HistoryList } from './history-list.tsx'

/** Everything that was done and refused, for those who may read the audit log. */
export function AuditLog({
  address,
  onChange,
}: {
  address: AuditAddress
  onChange: (change: Partial<AuditAddress>) => void
}): ReactElement {
  const filter = auditFilter(address)
  const query = useInfiniteQuery(auditLogQuery(useServices().request, filter))
  const actions = query.data?.pages.flatMap(({ actions: some }) => some) ?? []
  const isFiltered = Object.values(filter).some((value) => value !== '' && value !== undefined)
  return (
    <>
      <AuditFilters key={Object.values(address).join('\n')} address={address} onChange={onChange} />
      <HistoryList query={query} noun="actions">
        <Group gap="8px 24px">
          {query.isSuccess && (
            <Text c="dimmed" role="status">
              {countOf(actions.length, 'action')}
              {query.hasNextPage ? ' so far, more available.' : '.'}
            </Text>
          )}
          {/* An export goes on when the list is loaded again, or fails to. */}
          <AuditExport filter={filter} isDisabled={actions.length === 0} />
        </Group>
        {query.isSuccess && actions.length === 0 && (
          <EmptyState
            title={isFiltered ? 'No actions match.' : 'No actions yet.'}
            action={
              isFiltered && (
                <ClearFilters
                  onClear={() => {
                    onChange({
                      by: '',
                      kind: '',
                      action: '',
                      outcome: '',
                      subject: '',
                      from: '',
                      until: '',
                    })
                  }}
                />
              )
            }
          >
            <p>
              {isFiltered
                ? 'Filters hide all of them.'
                : 'Sign-ins, refusals, evaluations, publishing, waivers and screens are recorded here.'}
            </p>
          </EmptyState>
        )}
        {actions.length > 0 && (
          <ol className={pageCss.box} aria-label="Audit log">
            {actions.map((action) => (
              <AuditRow key={action.id} action={action} />
            ))}
          </ol>
        )}
      </HistoryList>
    </>
  )
}

const outcomeTones: Readonly<Record<string, StatusTone>> = {
  done: 'good',
  refused: 'bad',
  failed: 'waiting',
}

function AuditRow({ action }: { action: AuditedAction }): ReactElement {
  const { at, by, kind, subject, detail, outcome, from, times, lastAt } = action
  const word = actionText(action.action)
  return (
    <li
      className={css.row}
      style={{ gridTemplateColumns: '11rem 12rem minmax(0, 1fr) 8rem 9rem' }}
      data-action={action.action}
      data-outcome={outcome}
    >
      <span>
        <strong>{by === '' ? 'Nobody' : by}</strong>{' '}
        <Text span inherit c="dimmed">
          {kind}
        </Text>
      </span>
      <span>
        <StatusMark
          tone={outcomeTones[outcome] ?? 'none'}
          word={outcome === 'done' || word.endsWith(` ${outcome}`) ? word : `${word}, ${outcome}`}
        />
      </span>
      <span className={css.wide}>
        {/* What it begins with stands beside it. */}
        {detail.startsWith(`${word} `) ? detail.slice(word.length + 1) : detail}{' '}
        <Text span ff="monospace" fz="xs" c="dimmed">
          <Subject subject={subject} />
        </Text>
      </span>
      <Text span inherit c="dimmed">
        {from ?? ''}
      </Text>
      <span>
        <RelativeTime at={at} />
        {times > 1 && (
          <Text span inherit c="dimmed">
            {' '}
            {countText(times)} times
            {typeof lastAt === 'number' && (
              <>
                , last <RelativeTime at={lastAt} />
              </>
            )}
          </Text>
        )}
      </span>
    </li>
  )
}

/** In words; one that this page does not know, as it is. */
function actionText(action: string): string {
  return Object.entries(auditActions).find(([name]) => name === action)?.[1] ?? action
}

/** The package as people name it, with a link to it; anything else as it is. */
export function Subject({ subject }: { subject: string }): ReactNode {
  const read = subject.startsWith('/packages/') ? readPackageReference(subject) : undefined
  if (read?.ok !== true) return subject
  const { address } = read.reference
  return <Link to={packagePath(address)}>{packageText(address)}</Link>
}

function AuditFilters({
  address,
  onChange,
}: {
  address: AuditAddress
  onChange: (change: Partial<AuditAddress>) => void
}): ReactElement {
  const [typed, setTyped] = useState(address)
  const field = (name: 'by' | 'subject' | 'from' | 'until') => ({
    autoComplete: 'off',
    spellCheck: false,
    value: typed[name],
    onChange: (event: { readonly currentTarget: HTMLInputElement }) => {
      setTyped({ ...typed, [name]: event.currentTarget.value })
    },
  })
  const { by, kind, action, outcome, subject, from, until } = address
  const active = [by, kind, action, outcome, subject, from, until].filter((value) => value !== '')
  const choice = (name: 'kind' | 'action' | 'outcome') => ({
    value: typed[name],
    onChange: (event: { readonly currentTarget: HTMLSelectElement }) => {
      onChange({ ...typed, [name]: event.currentTarget.value })
    },
  })
  return (
    <form
      role="search"
      aria-label="Audit log"
      onSubmit={(event) => {
        event.preventDefault()
        onChange(typed)
      }}
    >
      <FoldedFilters label="Filters" active={active.length}>
        <Group gap={8} align="flex-end" flex={1}>
          <NativeSelect
            {...choice('action')}
            label="Action"
            data={[
              { value: '', label: 'Any' },
              ...Object.entries(auditActions).map(([value, label]) => ({ value, label })),
            ]}
          />
          <NativeSelect {...choice('outcome')} label="Outcome" data={withAny(auditOutcomes)} />
          <NativeSelect {...choice('kind')} label="Actor" data={withAny(actorKinds)} />
          <TextInput {...field('by')} label="Name" />
          <TextInput {...field('subject')} label="Subject" flex="1 1 14rem" maw={420} />
          <TextInput {...field('from')} label="From (UTC)" type="date" />
          <TextInput {...field('until')} label="To (UTC)" type="date" />
          <Button variant="default" type="submit">
            Show
          </Button>
        </Group>
      </FoldedFilters>
    </form>
  )
}

function withAny(values: readonly string[]): { value: string; label: string }[] {
  return [
    { value: '', label: 'Any' },
    ...values.map((value) => ({
      value,
      label: value.replace(/^./, (first) => first.toUpperCase()),
    })),
  ]
}

const forms = [
  { format: 'csv', name: 'CSV', use: 'for spreadsheets' },
  { format: 'jsonl', name: 'JSON lines', use: 'one action per line, for programs' },
] as const

/** Exports all that matches, with progress, until it is canceled. */
function AuditExport({
  filter,
  isDisabled,
}: {
  filter: AuditFilter
  isDisabled: boolean
}): ReactElement {
  const { exportAuditLog } = usePageServices()
  const [running, setRunning] = useState<{ abort: AbortController; progress: ExportProgress }>()
  const [fault, setFault] = useState<Error>()
  const latest = useRef<AbortController>(undefined)
  useEffect(() => () => latest.current?.abort(), [])

  async function save(format: 'csv' | 'jsonl'): Promise<void> {
    const abort = new AbortController()
    latest.current = abort
    setFault(undefined)
    setRunning({ abort, progress: { rows: 0, total: null } })
    try {
      const file = await exportAuditLog(
        format,
        filter,
        (progress) => {
          setRunning({ abort, progress })
        },
        abort.signal,
      )
      download(file, `audit-log.${format}`)
      void toast('Audit log exported.')
    } catch (error) {
      if (!abort.signal.aborted) setFault(error instanceof Error ? error : new Error('unknown'))
    } finally {
      setRunning(undefined)
    }
  }

  return (
    <>
      <Group gap={12}>
        <ExportChoices
          forms={forms}
          isDisabled={isDisabled || running !== undefined}
          onChoose={({ format }) => void save(format)}
        />
        {running !== undefined && <ExportState {...running} />}
      </Group>
      {fault !== undefined && (
        <ProblemPanel
          problem={problemWords(fault, {
            action: 'export',
            noun: 'the audit log',
            server: 'Sightline server',
          })}
        />
      )}
    </>
  )
}

function ExportState({
  abort,
  progress: { rows, total },
}: {
  abort: AbortController
  progress: ExportProgress
}): ReactElement {
  const of = total === null ? '' : ` of ${countText(total)}`
  return (
    <>
      <Progress
        value={total === null || total === 0 ? 100 : (rows / total) * 100}
        animated={total === null}
        w={120}
        aria-label="Export"
      />
      <Text c="dimmed">{`Exporting ${countText(rows)}${of}…`}</Text>
      <Button
        variant="default"
        onClick={() => {
          abort.abort()
        }}
      >
        Cancel
      </Button>
    </>
  )
}
