import type { ButtonProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, type ReactElement, useState } from 'react'
import { countOf } from '../../../protocol/count.ts'
import type { BuildGrouping } from '../../../protocol/insight.ts'
import { applyEdits } from '../../../search/diagnostic.ts'
import { addTerm } from '../../../search/edit.ts'
import { nameText } from '../../../search/values/text.ts'
import { useBuildServices } from '../../data/core/services.ts'
import { FacetMenu } from '../../ui/facet-menu.tsx'
import { groupingNames, groupTerm, unknownNames } from './group-term.ts'
import { isComplete, uncountedText } from './search-sentence.ts'
import { isReading, useInsight, useInsightAnswer } from './use-insight.ts'
import type { SearchPage } from './use-search-page.ts'

/** So many builds are read to count values; a view of groups reads more. */
const facetBudget = 1_000

/** What a button of the facets opens: the values that builds of the query have, with counts. */
export function FacetCounts({
  trigger,
  opened,
  facet,
  page,
}: {
  trigger: ReactElement<ButtonProps & ComponentProps<'button'>>
  opened: number
  facet: Exclude<BuildGrouping, 'failure'>
  page: SearchPage
}): ReactElement {
  const { serverInsight } = useBuildServices()
  const [isOpened, setOpened] = useState(false)
  const server = useQuery({
    ...serverInsight.groups({ query: page.apiText, by: facet }),
    enabled: isOpened && !page.isFaulty,
  })
  const insight = useInsight(
    isOpened && server.data === null ? page.query.text : undefined,
    page.timeZone,
    facetBudget,
  )
  // Counts don't move while somebody chooses: the first ones stand until all are there.
  const isMoving = isReading(insight.list)
  const folded = useInsightAnswer(insight, { kind: 'groups', by: facet }, isMoving ? 0 : undefined)
  const groups = server.data ?? folded.data
  const values = (groups?.groups ?? []).map(({ key, builds }) => ({
    value: key === null ? unknownNames[facet] : nameText(key),
    key,
    count: builds,
    isChosen: false,
  }))
  return (
    <FacetMenu
      button={trigger}
      opened={opened}
      label={`Filter by ${groupingNames[facet].toLowerCase()}`}
      facets={[{ facet, values }]}
      note={
        page.isFaulty
          ? "The query has an error and wasn't sent."
          : groups === undefined
            ? uncountedText(insight.list, page.query.root !== undefined)
            : noteOf(groups.builds, insight, server.data !== null)
      }
      onOpen={() => {
        setOpened(true)
      }}
      onChoose={(_, chosen) => {
        const key = values.find(({ value }) => value === chosen)?.key
        const term = key === undefined ? undefined : groupTerm(facet, key)
        if (term !== undefined) page.refine((query) => applyEdits(query.text, addTerm(query, term)))
      }}
    />
  )
}

function noteOf(
  builds: number,
  { list }: ReturnType<typeof useInsight>,
  isServer: boolean,
): string {
  if (isServer || isComplete(list)) return `Counts of all ${countOf(builds, 'build')}`
  return `Counts of the newest ${countOf(builds, 'build')}`
}
