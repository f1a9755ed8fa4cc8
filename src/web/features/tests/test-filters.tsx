import { Button, Group } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import {
  type TestFacet,
  testFacets,
  type TestList,
  type TestNarrowing,
  type TestSummary,
} from '../../../protocol/test-insight.ts'
import { FacetMenu } from '../../ui/facet-menu.tsx'
import { MenuCaret } from '../../ui/menu-caret.tsx'

const facetNames: Readonly<Record<TestFacet, string>> = {
  project: 'Project',
  task: 'Task',
  owner: 'Owner',
  quarantine: 'Quarantine',
}

/** What tests without a value are called. */
const withoutNames: Readonly<Record<TestFacet, string>> = {
  project: 'No project',
  task: 'No task',
  owner: 'No owner',
  quarantine: 'Not quarantined',
}

/** What the tests of a list have in common, with counts; a choice narrows all lists. */
export function TestFilters({
  narrow,
  list,
  facets,
  onNarrow,
}: {
  narrow: TestNarrowing
  list: TestList
  facets: TestSummary['facets']
  onNarrow: (narrow: TestNarrowing) => void
}): ReactElement {
  const isNarrowed = testFacets.some((facet) => narrow[facet] !== undefined)
  return (
    <Group role="group" aria-label="Filters" gap={4}>
      {testFacets.map((facet) => (
        <Filter
          key={facet}
          facet={facet}
          chosen={narrow[facet]}
          counted={facets?.[list][facet]}
          onChoose={(value) => {
            onNarrow({ ...narrow, [facet]: value })
          }}
        />
      ))}
      {isNarrowed && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => {
            onNarrow({})
          }}
        >
          Clear filters
        </Button>
      )}
    </Group>
  )
}

function Filter({
  facet,
  chosen,
  counted,
  onChoose,
}: {
  facet: TestFacet
  chosen: string | undefined
  /** Undefined while nothing is known. */
  counted: readonly { readonly value: string; readonly count: number }[] | undefined
  onChoose: (value: string | undefined) => void
}): ReactElement {
  const [opened, setOpened] = useState(0)
  /** The counts of the moment of opening: nothing moves while one is chosen. */
  const [shown, setShown] = useState(counted)
  const nameOf = (value: string): string => (value === '' ? withoutNames[facet] : value)
  const isKnown = counted !== undefined || chosen !== undefined
  const button = (
    <Button
      size="compact-sm"
      variant={chosen === undefined ? 'default' : 'light'}
      maw={260}
      aria-haspopup="listbox"
      aria-expanded={false}
      disabled={!isKnown}
      title={chosen === undefined ? undefined : `${facetNames[facet]}: ${nameOf(chosen)}`}
      rightSection={<MenuCaret />}
      onClick={() => {
        setOpened((before) => before + 1)
      }}
    >
      {chosen === undefined ? facetNames[facet] : `${facetNames[facet]}: ${nameOf(chosen)}`}
    </Button>
  )
  if (opened === 0) return button
  const values = shown ?? []
  const withChosen =
    chosen === undefined || values.some(({ value }) => value === chosen)
      ? values
      : [{ value: chosen, count: 0 }, ...values]
  return (
    <FacetMenu
      button={button}
      opened={opened}
      label={`Filter by ${facetNames[facet].toLowerCase()}`}
      facets={[
        {
          facet,
          values: withChosen.map(({ value, count }) => ({
            ...{ value: nameOf(value), count },
            isChosen: value === chosen,
          })),
        },
      ]}
      note="Tests of this list"
      onOpen={() => {
        setShown(counted)
      }}
      onChoose={(_, name) => {
        const value = withChosen.find((one) => nameOf(one.value) === name)?.value
        onChoose(value === chosen ? undefined : value)
      }}
    />
  )
}
