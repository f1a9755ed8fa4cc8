import { Button, Group, Stack } from '@mantine/core'
import { type ReactElement, useMemo, useState } from 'react'
import { countText } from '../../../protocol/count.ts'
import { check } from '../../../search/check.ts'
import type { Diagnostic, Fix, TextEdit } from '../../../search/diagnostic.ts'
import { explain } from '../../../search/explain.ts'
import { parse } from '../../../search/parse.ts'
import { KeyHint } from '../keys.tsx'
import { StatusShape, type StatusTone } from '../status-mark.tsx'
import { type QueryAssistance, useRested } from './query-assistance.ts'
import css from './query-editor.module.css'

/** How long typing rests before what was typed is judged, ms. */
const restMs = 400

/** So many parts are named, and so many problems listed, until all are wanted. */
const mostParts = 12
const mostProblems = 8
const mostFixes = 3

const tones = { error: 'bad', warning: 'waiting', info: 'info' } as const satisfies Record<
  string,
  StatusTone
>

const nothing: readonly Diagnostic[] = []

/** The explanation of a query, and all that is wrong with it, each with the steps that fix it. */
export function QueryExplanation({
  text,
  timeZone,
  assistance,
  remarks = nothing,
  onEdit,
}: {
  readonly text: string
  /** IANA zone in which times without a zone are read. */
  readonly timeZone: string
  /** What fixes may be made of. */
  readonly assistance?: QueryAssistance
  /** What others say of this text, such as a server. */
  readonly remarks?: readonly Diagnostic[]
  /** Takes the edits of a fix; without it fixes are left to the editor. */
  readonly onEdit?: (edits: readonly TextEdit[]) => void
}): ReactElement {
  const rested = useRested(text, restMs)
  const [isLong, setLong] = useState(false)
  const query = useMemo(() => parse(rested), [rested])
  const found = useMemo(() => {
    const { serverRelease, values } = assistance ?? {}
    const now = assistance?.now()
    return check(query, {
      serverRelease,
      timeZone,
      ...(values === undefined ? {} : { values }),
      ...(now === undefined ? {} : { now }),
    })
  }, [query, assistance, timeZone])
  const words = useMemo(
    () => explain(query, { timeZone, ...(isLong ? {} : { most: mostParts }) }),
    [query, timeZone, isLong],
  )
  const shortened = useMemo(
    () => !isLong && words !== explain(query, { timeZone }),
    [query, words, timeZone, isLong],
  )
  // Fixes are those of this very text.
  const isRested = rested === text
  const problems = [...found, ...(isRested ? remarks : nothing)]
  const isWrong = problems.some(({ severity }) => severity === 'error')
  return (
    <Stack gap={2} miw={0}>
      {problems.length > 0 && (
        <ProblemList problems={problems} {...(isRested && onEdit !== undefined && { onEdit })} />
      )}
      <p
        className={css.meaningText}
        data-dim={isWrong || undefined}
        data-long={isLong || undefined}
        {...(isLong && { tabIndex: 0 })}
      >
        <span>{words}</span>
        {shortened && (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => {
              setLong(true)
            }}
          >
            Show all
          </Button>
        )}
      </p>
    </Stack>
  )
}

/** What is wrong or doubtful, errors first, in the order of the text. */
function ProblemList({
  problems,
  onEdit,
}: {
  problems: readonly Diagnostic[]
  onEdit?: (edits: readonly TextEdit[]) => void
}): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const ordered = [
    ...problems.filter(({ severity }) => severity === 'error'),
    ...problems.filter(({ severity }) => severity !== 'error'),
  ]
  const shown = isWhole ? ordered : ordered.slice(0, mostProblems)
  const more = ordered.length - shown.length
  return (
    <Stack
      component="ul"
      className={css.problems}
      gap={2}
      m={0}
      p={0}
      style={{ listStyle: 'none' }}
      aria-label="Query problems"
    >
      {shown.map(({ from, code, severity, message, fixes }, index) => (
        <li key={`${index} ${from} ${code}`} className={css.problem} data-tone={tones[severity]}>
          <StatusShape tone={tones[severity]} />
          <Group gap="2px 8px" miw={0}>
            <span>{message}</span>
            {onEdit !== undefined &&
              fixes
                .slice(0, mostFixes)
                .map((fix, place) => (
                  <FixButton
                    key={fix.label}
                    fix={fix}
                    hasKey={
                      code === 'syntax.free-text' && place === 0 && fix.edits[0]?.insert !== ''
                    }
                    onEdit={onEdit}
                  />
                ))}
          </Group>
        </li>
      ))}
      {more > 0 && (
        <li>
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => {
              setWhole(true)
            }}
          >
            {`${countText(more)} more`}
          </Button>
        </li>
      )}
    </Stack>
  )
}

function FixButton({
  fix,
  hasKey,
  onEdit,
}: {
  fix: Fix
  /** Whether Tab does the same from within the editor. */
  hasKey: boolean
  onEdit: (edits: readonly TextEdit[]) => void
}): ReactElement {
  return (
    <Button
      size="compact-xs"
      variant="default"
      className={css.fix}
      maw="100%"
      ff="monospace"
      fw={400}
      title={fix.label}
      rightSection={hasKey ? <KeyHint keys="tab" /> : undefined}
      onClick={() => {
        onEdit(fix.edits)
      }}
    >
      {fix.label}
    </Button>
  )
}
