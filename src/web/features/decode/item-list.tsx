import { Flex, Paper, Text } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import { Link } from 'react-router'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import { knownTypes, readerOf } from '../../../attestation/predicates/predicate-types.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { AttestationRunner } from '../../data/attestation/attestation-runner.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import css from './decode.module.css'
import { useJob } from './inspection.tsx'
import { LongList } from './long-list.tsx'
import type { TrustedKeys } from '../../domain/attestation/trusted-keys.ts'
import { type Checking, signatureLine, signerLine, verdictsWithoutKeys } from './verdict-lines.ts'
import type { ViewAddressState } from './view-address.ts'

/** So many are checked before one of them is chosen. */
const mostSurveyed = 500

/** Several attestations to choose from, each with how its signatures stand. */
export function ItemList({
  items,
  runner,
  trusted,
  state,
}: {
  items: readonly DecodedItem[]
  runner: AttestationRunner
  trusted: TrustedKeys
  state: ViewAddressState
}): ReactElement {
  const surveyed = useMemo(
    () => items.slice(0, mostSurveyed).filter(({ envelope }) => envelope !== undefined),
    [items],
  )
  const job = useJob(
    runner,
    useMemo(
      () =>
        trusted.isPending
          ? undefined
          : ({
              kind: 'survey',
              envelopes: surveyed.flatMap(({ envelope }) => envelope ?? []),
              keys: trusted.keys,
              sigstore: trusted.sigstore,
            } as const),
      [surveyed, trusted],
    ),
  )
  const places = useMemo(() => new Map(surveyed.map((item, at) => [item, at])), [surveyed])

  function checkingOf(item: DecodedItem): Checking {
    const place = places.get(item)
    if (place === undefined) return { state: 'broken', reason: '' }
    if (job.state !== 'done') return { state: 'checking' }
    const { verdicts = [], keyless } = job.result[place] ?? {}
    return trusted.isKnown
      ? { state: 'checked', verdicts, keyless }
      : { state: 'checked', verdicts: verdictsWithoutKeys(verdicts), keyless, areKeysMissing: true }
  }

  return (
    <Paper
      component="nav"
      withBorder
      // Narrow, the verdicts of the chosen one stay on the first screen.
      mah={{ base: 168, sm: 480 }}
      bg="var(--surface-panel)"
      style={{ overflow: 'auto' }}
      aria-label="Attestations"
    >
      <Text component="h2" fw={600} px={12} py={8}>
        {countOf(items.length, 'attestation')}
      </Text>
      <LongList
        label="Attestations"
        length={items.length}
        estimate={32}
        item={(index) => {
          const item = items[index]
          if (item === undefined) return null
          const signature = signatureLine(item, checkingOf(item))
          const signer = signerLine(item, checkingOf(item), state.address.needed)
          return (
            <Flex
              component={Link}
              gap={12}
              align="baseline"
              className={`${css.item} ${css.choice}`}
              to={state.linkTo({ item: index, search: '' })}
              aria-current={index === state.address.item ? 'true' : undefined}
            >
              <Text span inherit miw="3ch" ta="right" c="dimmed">
                {countText(index + 1)}
              </Text>
              <Flex wrap="wrap" gap="0 12px" align="baseline" flex={1} miw={0}>
                <Text span inherit flex="1 1 24rem" miw={0}>
                  {itemName(item)}
                </Text>
                <StatusMark tone={signature.tone} word={signature.word} />
                <StatusMark tone={signer.tone} word={signer.word} />
                <Text span inherit fz="xs" c="dimmed">
                  line {countText(item.at.line)}
                </Text>
              </Flex>
            </Flex>
          )
        }}
      />
    </Paper>
  )
}

/** What an attestation is called where there are several: by the kind of claim it makes. */
export function itemName({ statement, content }: DecodedItem): string {
  const type = statement?.predicateType
  if (type !== undefined) {
    const known = readerOf(type) ?? knownTypes.find(({ types }) => types.includes(type))
    return known?.name ?? visibleText(type, 120)
  }
  if (statement !== undefined) return 'A statement without a predicate type'
  return content.kind === 'empty' ? 'An empty payload' : "A payload that isn't a statement"
}
