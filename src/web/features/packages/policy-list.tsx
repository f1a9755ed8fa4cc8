import { Stack, Text } from '@mantine/core'
import { memo, type ReactElement, useCallback, useMemo, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { labelOf } from '../../../policy/policy-filter.ts'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import type { PassedCount, PolicyChange } from '../../../policy/run-difference.ts'
import { byWeight, severityLabel } from '../../../policy/severity.ts'
import { countText } from '../../../protocol/count.ts'
import type { PolicyStatus } from '../../../protocol/policy-result.ts'
import type { ChangeSearch } from '../../data/core/search-state.ts'
import { useListKeys } from '../../ui/keys.tsx'
import { EmptyState } from '../../ui/page.tsx'
import { usePrinting } from '../../ui/printing.ts'
import { SearchedTextContext, ShowMore } from './policy-evidence.tsx'
import { PolicyRow } from './policy-row.tsx'
import { changeWords, labelWords, statusWords } from './policy-words.ts'
import {
  allPolicies,
  type Grouping,
  type ScanAddress,
  scanAddress,
  statuses,
  toggledLabel,
} from './scan-address.ts'
import page from '../../ui/page.module.css'
import css from './scan-page.module.css'

/** More than anybody reads at once; the rest is drawn on demand. */
const drawnAtFirst = 100

/** The policies of a scan, put together as the address says. */
export const PolicyList = memo(function PolicyList({
  groups,
  isNarrowed,
  isComplete,
  address,
  changes,
  passedBefore,
  statusBefore,
  onChange,
}: {
  groups: readonly PolicyGroup[]
  isNarrowed: boolean
  /** All results are among them: without any, there are none. */
  isComplete: boolean
  address: ScanAddress
  changes: ReadonlyMap<string, PolicyChange> | undefined
  passedBefore: ReadonlyMap<string, PassedCount> | undefined
  statusBefore: ReadonlyMap<string, PolicyStatus> | undefined
  onChange: ChangeSearch<ScanAddress>
}): ReactElement {
  const list = useRef<HTMLDivElement>(null)
  const [drawnOnScreen, setDrawn] = useState(drawnAtFirst)
  const drawn = usePrinting() ? groups.length : drawnOnScreen
  const sections = useMemo(
    () => firstOf(policySections(groups, address.by, changes), drawn),
    [groups, address.by, changes, drawn],
  )
  const [search] = useSearchParams()
  const wholeSearch = useMemo(() => scanAddress.update(search, allPolicies).toString(), [search])
  const names = useMemo(() => labelNames(groups), [groups])
  // By their text, as rows that have not changed are not to be drawn anew with every result.
  const words = useMemo(() => labelWords(names.split('\n')), [names])
  const severity = severityLabel(words.keys())
  const chooseLabel = useCallback(
    (name: string, value: string) => {
      onChange((now) => toggledLabel(now, name, value))
    },
    [onChange],
  )
  useListKeys(
    'Policy scan',
    'policy',
    () => list.current?.querySelectorAll<HTMLElement>('[data-policy-uri] > summary') ?? [],
  )

  if (groups.length === 0 && isNarrowed) {
    return (
      <EmptyState title={isComplete ? 'No policies match.' : 'No policies match so far.'}>
        <p>Remove a filter to see more policies.</p>
      </EmptyState>
    )
  }
  if (groups.length === 0) {
    return isComplete ? (
      <EmptyState title="No results.">
        <p>The response contains no results.</p>
      </EmptyState>
    ) : (
      <Text c="dimmed">Policies appear here as they are evaluated.</Text>
    )
  }
  return (
    <Stack ref={list} gap={16}>
      {sections.map(({ key, title, groups: some, all }) => (
        <section key={key} aria-label={title}>
          <Text
            component="h2"
            inherit
            fz="var(--text-body)"
            fw={600}
            mb="var(--space-1)"
            className={css.title}
          >
            {title}{' '}
            <Text span inherit c="dimmed">
              {countText(all)}
            </Text>
          </Text>
          <div className={page.box}>
            <SearchedTextContext value={address.text}>
              {some.map((group) => (
                <PolicyRow
                  key={group.key}
                  group={group}
                  change={changes?.get(group.key)}
                  before={passedBefore?.get(group.key)}
                  statusBefore={statusBefore?.get(group.key)}
                  severity={severity}
                  words={words}
                  chosen={address.labels}
                  isOnly={address.policy === group.key}
                  wholeSearch={wholeSearch}
                  onLabel={chooseLabel}
                />
              ))}
            </SearchedTextContext>
          </div>
        </section>
      ))}
      {groups.length > drawn && (
        <ShowMore
          left={groups.length - drawn}
          noun="policy"
          plural="policies"
          onMore={() => {
            setDrawn(drawn + drawnAtFirst)
          }}
        />
      )}
    </Stack>
  )
})

/** The names of all labels, a line each. */
function labelNames(groups: readonly PolicyGroup[]): string {
  const names = new Set(groups.flatMap(({ labels }) => Object.keys(labels)))
  return [...names].sort().join('\n')
}

/** The first policies over all sections, each section with how many it has. */
function firstOf(
  sections: readonly PolicySection[],
  most: number,
): readonly (PolicySection & { readonly all: number })[] {
  let left = most
  return sections.flatMap((section) => {
    const groups = section.groups.slice(0, left)
    left -= groups.length
    return groups.length === 0 ? [] : [{ ...section, groups, all: section.groups.length }]
  })
}

/** Policies that are shown together. */
interface PolicySection {
  readonly key: string
  readonly title: string
  readonly groups: readonly PolicyGroup[]
}

/** Puts policies together; within a section the failing ones come first. Empty sections are left out. */
export function policySections(
  groups: readonly PolicyGroup[],
  by: Grouping,
  changes: ReadonlyMap<string, PolicyChange> | undefined,
): readonly PolicySection[] {
  const sorted = [...groups].sort((a, b) => rank(a) - rank(b))
  if (by === 'status') {
    return sections(sorted, statuses, ({ status }) => [status, statusWords[status]])
  }
  if (by === 'kind') {
    return sections(sorted, [], ({ kind }) => [kind, kind || 'Unknown kind'])
  }
  if (by === 'change') {
    return sections(sorted, changeOrder, ({ key }) => {
      const change = changes?.get(key)
      return change === undefined ? ['', 'Not compared'] : [change, changeWords[change]]
    })
  }
  const label = by.slice('label:'.length)
  const word = labelWords(groups.flatMap(({ labels }) => Object.keys(labels))).get(label) ?? label
  const values = [...new Set(groups.map((group) => labelOf(group, label)))]
  const order = values.filter((value) => value !== '').sort(byWeight)
  return sections(sorted, order, (group) => {
    const value = labelOf(group, label)
    return [value, value === '' ? `Without ${word}` : `${word}: ${value}`]
  })
}

const changeOrder: readonly PolicyChange[] = [
  'newly-failing',
  'still-failing',
  'fixed',
  'changed',
  'added',
  'unchanged',
]

function sections(
  groups: readonly PolicyGroup[],
  order: readonly string[],
  sectionOf: (group: PolicyGroup) => readonly [key: string, title: string],
): readonly PolicySection[] {
  const found = new Map<string, { readonly title: string; readonly groups: PolicyGroup[] }>()
  for (const group of groups) {
    const [key, title] = sectionOf(group)
    const section = found.get(key) ?? { title, groups: [] }
    section.groups.push(group)
    found.set(key, section)
  }
  // Each policy may have a value of its own.
  const places = new Map(order.map((key, index) => [key, index]))
  const place = (key: string): number => places.get(key) ?? order.length
  return [...found]
    .map(([key, section]) => ({ key, ...section }))
    .sort((a, b) => place(a.key) - place(b.key))
}

function rank({ status }: PolicyGroup): number {
  return statuses.indexOf(status)
}
