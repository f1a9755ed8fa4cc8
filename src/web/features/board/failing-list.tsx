import { Flex, Text } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { failingPolicies } from '../../../policy/board-sentence.ts'
import type { BoardRow, RowCell } from '../../../policy/board-row.ts'
import { countOf } from '../../../protocol/count.ts'
import { packageText } from '../../domain/package/package-links.ts'
import page from '../../ui/page.module.css'
import css from './board.module.css'
import { Section } from '../../ui/page.tsx'

/** So many places of a policy are named at first. */
const namedAtFirst = 12

/** Which policy fails where: the other way round of the matrix. */
export function FailingList({
  rows,
  onOpen,
}: {
  rows: readonly BoardRow[]
  onOpen: (key: string) => void
}): ReactElement | null {
  const policies = failingPolicies(rows)
  if (policies.length === 0) return null
  return (
    <Section title="Failing policies">
      <ul className={`${page.box} ${css.list}`}>
        {policies.map(({ key, policyUri, name, kind, at, waivedAt, packages }) => (
          <li key={key} data-policy-uri={policyUri}>
            <strong>{name}</strong>{' '}
            <Text span inherit c="dimmed">
              {kind}
            </Text>
            <Text c="dimmed">
              {packages > 0 && (
                <Text span inherit c="var(--bad-ink)">
                  fails {countOf(packages, 'package')}
                </Text>
              )}
              {packages > 0 && waivedAt.length > 0 && ', '}
              {waivedAt.length > 0 && (
                <Text span inherit c="var(--waiting-ink)">
                  waived in {countOf(waivedAt.length, 'cell')}
                </Text>
              )}
            </Text>
            <Places policy={key} places={[...at, ...waivedAt]} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Places({
  policy,
  places,
  onOpen,
}: {
  /** Its key. */
  policy: string
  places: readonly { readonly row: BoardRow; readonly cell: RowCell }[]
  onOpen: (key: string) => void
}): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const named = isWhole ? places : places.slice(0, namedAtFirst)
  return (
    <Flex component="span" wrap="wrap" align="center" gap={4}>
      {named.map(({ row, cell }) => (
        <button
          key={cell.place.key}
          type="button"
          className={css.place}
          onClick={() => {
            onOpen(cell.place.key)
          }}
        >
          {packageText(row.of.address)}, {cell.place.scan}
          {cell.waived.has(policy) && (
            <Text span inherit c="var(--waiting-ink)">
              {' '}
              (waived)
            </Text>
          )}
        </button>
      ))}
      {named.length < places.length && (
        <button
          type="button"
          className={css.place}
          onClick={() => {
            setWhole(true)
          }}
        >
          {places.length - named.length} more
        </button>
      )}
    </Flex>
  )
}
