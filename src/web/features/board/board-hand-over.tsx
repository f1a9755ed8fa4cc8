import { Button, Group, Modal, Stack, Tabs, Text, Textarea } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import {
  type BoardFailure,
  failureGroups,
  type FailureGrouping,
  noOwner,
} from '../../../policy/board-failures.ts'
import {
  type HandOver,
  handOverMail,
  handOverMarkdown,
  handOverPlain,
  handOverSlack,
} from '../../../policy/hand-over.ts'
import { decisionSentence } from '../../../policy/decision.ts'
import { countOf } from '../../../protocol/count.ts'
import { useDecisions } from '../../data/release/decisions.ts'
import { CopyButton, copyText } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import { GroupBySelect } from './board-causes.tsx'

/** What is handed over but for the groups, which the dialog makes. */
export type HandOverFrame = Omit<HandOver, 'groups' | 'writtenAt' | 'decision'>

const forms = [
  { value: 'ticket', name: 'Ticket', what: 'Markdown, a task for each package.' },
  { value: 'slack', name: 'Slack', what: 'Slack markup.' },
  { value: 'chat', name: 'Chat', what: 'Plain text.' },
  { value: 'mail', name: 'Email', what: 'Plain text.' },
] as const
type FormName = (typeof forms)[number]['value']

/** The failures as texts for a ticket, a chat and a mail: one for all, or one for each group. */
export function HandOverDialog({
  board,
  failures,
  frame,
  by,
  now,
  hasAssignments,
  onClose,
}: {
  /** Its name, by which everybody finds its decisions. */
  board: string
  failures: readonly BoardFailure[]
  frame: HandOverFrame
  /** How the board puts failures together. */
  by: FailureGrouping
  /** Epoch ms. */
  now: number
  /** Whether it is known who looks after what. */
  hasAssignments: boolean
  onClose: () => void
}): ReactElement {
  const [form, setForm] = useState<FormName>('ticket')
  const [grouping, setGrouping] = useState(by)
  const [chosen, setChosen] = useState('')
  const [copied, setCopied] = useState('')
  const groups = failureGroups(failures, grouping)
  const shown = chosen === '' ? groups : groups.filter(({ key }) => `=${key}` === chosen)
  const decisions = useDecisions({ is: 'board', board }).data
  const [decided] = decisions ?? []
  const missing = [
    ...(hasAssignments ? [] : ['assignments']),
    ...(decisions === undefined ? ['release decisions'] : []),
  ].join(' and ')
  const decision = decided && decisionSentence(decided, frame.title)
  const handOver: HandOver = { ...frame, decision, groups: shown, writtenAt: now }
  const mail = handOverMail(handOver)
  const text = textOf(form, handOver)
  const packages = new Set(failures.map(({ row }) => row.row)).size
  return (
    <Modal
      opened
      size={760}
      title={`Hand over ${countOf(packages, 'package')}`}
      onClose={onClose}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap={12}>
        {missing !== '' && (
          <Notice role="status" tone="waiting">
            Not in the text, as they aren't loaded: {missing}.
          </Notice>
        )}
        <Group gap="8px 16px">
          <GroupBySelect
            value={grouping}
            onChange={(chosenBy) => {
              setGrouping(chosenBy)
              setChosen('')
            }}
          />
        </Group>
        {groups.length > 1 && (
          <Group gap={4} mah={160} style={{ overflow: 'auto' }} role="group" aria-label="Groups">
            <Button
              variant={chosen === '' ? 'light' : 'default'}
              size="compact-sm"
              aria-pressed={chosen === ''}
              onClick={() => {
                setChosen('')
              }}
            >
              All {groups.length} groups
            </Button>
            {groups.map((group) => {
              const { key, title, packages: count } = group
              const name = title === '' ? noOwner : title
              return (
                <Group key={key} gap={0} wrap="nowrap">
                  <Button
                    variant={chosen === `=${key}` ? 'light' : 'default'}
                    size="compact-sm"
                    aria-pressed={chosen === `=${key}`}
                    onClick={() => {
                      setChosen(`=${key}`)
                    }}
                  >
                    {name} ({count})
                  </Button>
                  <CopyButton
                    text={textOf(form, { ...handOver, groups: [group] })}
                    what={`text for ${name}`}
                  />
                </Group>
              )
            })}
          </Group>
        )}
        <Tabs
          value={form}
          onChange={(value) => {
            setForm(forms.find((one) => one.value === value)?.value ?? 'ticket')
          }}
        >
          <Tabs.List>
            {forms.map(({ value, name }) => (
              <Tabs.Tab key={value} value={value}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {forms.map(({ value, what }) => (
            <Tabs.Panel key={value} value={value} pt={8}>
              <Text c="dimmed" fz="xs">
                {what}
                {value === 'mail' && ` Subject: ${mail.subject}`}
              </Text>
            </Tabs.Panel>
          ))}
        </Tabs>
        <Textarea
          aria-label="Text"
          readOnly
          rows={14}
          value={text}
          styles={{ input: { fontFamily: 'var(--font-mono)' } }}
        />
        {form === 'mail' && mail.isShortened && (
          <Text c="dimmed">
            The link opens a shortened text: email programs don't take longer ones. Copy has all of
            it.
          </Text>
        )}
        <Group gap={8} justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          {form === 'mail' && (
            <Button variant="default" component="a" href={mail.mailto}>
              Open in email program
            </Button>
          )}
          <Button
            onClick={() => {
              void copyText(text).then((isDone) => {
                setCopied(isDone ? text : '')
              })
            }}
          >
            {copied === text ? 'Copied' : 'Copy text'}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function textOf(form: FormName, handOver: HandOver): string {
  switch (form) {
    case 'ticket':
      return handOverMarkdown(handOver)
    case 'slack':
      return handOverSlack(handOver)
    case 'chat':
      return handOverPlain(handOver)
    case 'mail':
      return handOverMail(handOver).body
  }
}
