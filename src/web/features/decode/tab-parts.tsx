import { Box, Button, Flex, Stack, Text } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { Link } from 'react-router'
import { type Fact, timeProblem } from '../../../attestation/predicates/predicate-facts.ts'
import { type VisiblePart, visibleParts } from '../../../attestation/decode/visible-text.ts'
import { isBuildId } from '../../../protocol/build-message.ts'
import { countText } from '../../../protocol/count.ts'
import { cutText } from '../../../protocol/untrusted-text.ts'
import { CopyButton, copyText } from '../../ui/copy.tsx'
import { download } from '../../ui/download.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText, type Zone } from '../../ui/format.ts'
import { StrangerLink } from '../../ui/external-link.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { toast } from '../../ui/toast.ts'
import type { CheckCommand } from './check-commands.ts'
import { buildOfSource } from '../../domain/build-table/source-links.tsx'
import css from './decode.module.css'

/** What an attestation says, name by name. */
export function FactRows({ rows }: { rows: readonly Fact[] }): ReactElement {
  return (
    <dl className={css.rows}>
      {rows.map((row, at) => (
        <div key={at}>
          <dt>
            <Visible text={row.label} most={200} />
          </dt>
          <dd>
            <FactValue {...row} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Names and what belongs to them; a row without content is left out. */
export function NamedRows({
  rows,
}: {
  rows: readonly (readonly [string, ReactNode])[]
}): ReactElement {
  return (
    <dl className={css.rows}>
      {rows.map(([name, content], at) =>
        content === undefined || content === '' ? null : (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{content}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

/** A value of an attestation, shown by its kind, with what is wrong with it. */
export function FactValue({
  value,
  kind,
  remark,
}: Pick<Fact, 'value' | 'kind' | 'remark'>): ReactElement {
  return (
    <Box component="span" style={{ overflowWrap: 'anywhere' }}>
      <Value value={value} kind={kind} />
      {remark !== undefined && (
        <Text span inherit display="block" fz="xs" style={{ whiteSpace: 'normal' }}>
          <StatusMark tone="waiting" word={remark} />
        </Text>
      )}
    </Box>
  )
}

function Value({ value, kind }: Pick<Fact, 'value' | 'kind'>): ReactElement {
  switch (kind) {
    case 'uri': {
      const build = buildOfSource(value)
      return (
        <>
          {build !== undefined && (
            <>
              <Link to={`/builds/${build}`}>Build {build}</Link>
              {' · '}
            </>
          )}
          <StrangerLink address={value}>
            <Visible text={value} />
          </StrangerLink>
        </>
      )
    }
    case 'buildId':
      return isBuildId(value) ? (
        <Link to={`/builds/${value}`}>{value}</Link>
      ) : (
        <Visible text={value} />
      )
    case 'digest':
    case 'purl':
      return (
        <Copied>
          <Text component="code" inherit ff="monospace">
            <Visible text={value} />
          </Text>
          <CopyButton text={value} what={kind === 'purl' ? 'package URL' : 'digest'} />
        </Copied>
      )
    case 'time':
      return <Instant text={value} />
    case 'text':
      return <Visible text={value} />
  }
}

/** A time in the zone of the reader, as it is written where it is none; nobody reads nanoseconds. */
function Instant({ text }: { text: string }): ReactElement {
  const { zone } = usePreferences()
  const shown = instantOf(text, zone)
  return shown === undefined ? (
    <Visible text={text} />
  ) : (
    <time dateTime={text} title={text}>
      {shown}
    </time>
  )
}

/** A time as the reader is shown it; undefined where it is none, and for a leap second, which no clock here has. */
export function instantOf(text: string, zone: Zone): string | undefined {
  const at = timeProblem(text) === undefined ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : instantText(at, zone)
}

/** A value with its copy button. */
export function Copied({ children }: { children: ReactNode }): ReactElement {
  return (
    <Flex component="span" display="inline-flex" gap={2} align="center" maw="100%">
      {children}
    </Flex>
  )
}

/** A command to copy, and what it is for. */
export function CommandLine({ label, command }: CheckCommand): ReactElement {
  return (
    <Stack gap={2}>
      <Text span inherit c="dimmed">
        {label}
      </Text>
      <Flex gap={4} align="flex-start" miw={0}>
        <pre className={`${css.scroller} ${css.code} ${css.block}`} tabIndex={0} aria-label={label}>
          {command}
        </pre>
        <CopyButton text={command} what="command" />
      </Flex>
    </Stack>
  )
}

/**
 * Text of a stranger as it is: what would not be seen, or would mislead, is a mark of its own. It is
 * cut after `most` characters, and says so.
 */
export function Visible({ text, most = 2_000 }: { text: string; most?: number }): ReactElement {
  return (
    <bdi>
      {markedRuns(text, most).map((run, at) =>
        run.hidden === undefined ? (
          run.text
        ) : (
          <mark key={at} className={css.mark} title={run.hidden}>
            {run.text}
          </mark>
        ),
      )}
      {text.length > most && (
        <Text span inherit c="dimmed">
          … ({countText(text.length)} characters)
        </Text>
      )}
    </bdi>
  )
}

/**
 * The visible parts of a text, cut after `most` characters, with hidden characters that stand side by side as one mark: a thousand
 * of them in a row are one element, and the same one over and over is shown with its number.
 */
export function markedRuns(text: string, most = Infinity): readonly VisiblePart[] {
  const runs: VisiblePart[] = []
  let open: VisiblePart[] = []
  const close = (): void => {
    if (open.length > 0) runs.push(joined(open))
    open = []
  }
  for (const part of visibleParts(cutText(text, most))) {
    if (part.hidden === undefined) {
      close()
      runs.push(part)
    } else open.push(part)
  }
  close()
  return runs
}

function joined(parts: readonly VisiblePart[]): VisiblePart {
  const names = new Set(parts.map(({ hidden }) => hidden))
  const [first] = parts
  const isSame = names.size === 1 && parts.length > 3 && first !== undefined
  return {
    text: isSame ? `${first.text}×${parts.length}` : parts.map((part) => part.text).join(''),
    hidden: [...names].slice(0, 5).join(', '),
  }
}

/** Copies and downloads a part of an attestation; bytes that are no text can only be downloaded. */
export function PartButtons({
  what,
  fileName,
  content,
  copied,
}: {
  /** Completes "Copy …" and "Download …". */
  what: string
  fileName: string
  /** Made when it is wanted: it may be large. */
  content: () => string | Uint8Array
  /** What is copied; nothing where there is no text for it. */
  copied?: (() => string) | undefined
}): ReactElement {
  return (
    <Flex component="span" wrap="wrap" align="center" gap={4}>
      {copied !== undefined && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Copy ${what}`}
          onClick={() => {
            void copyAndTell(copied(), what)
          }}
        >
          Copy
        </Button>
      )}
      <Button
        size="compact-xs"
        variant="default"
        aria-label={`Download ${what}`}
        onClick={() => {
          download(content(), fileName)
        }}
      >
        Download
      </Button>
    </Flex>
  )
}

async function copyAndTell(text: string, what: string): Promise<void> {
  if (await copyText(text)) await toast(`Copied ${what}`)
}
