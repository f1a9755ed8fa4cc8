import { Modal, Table, Text, Title } from '@mantine/core'
import type { ReactElement } from 'react'
import { genericFields } from '../../../search/fields/fields.ts'

/** The search language on one page. */
export function QuerySyntax({ onClose }: { onClose: () => void }): ReactElement {
  return (
    <Modal
      opened
      size={760}
      title="Query syntax"
      onClose={onClose}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {sections.map(({ title, rows }) => (
        <Rows key={title} title={title} rows={rows} />
      ))}
      <Rows title="Fields of every build" rows={fieldRows} />
      <Text mt="sm" c="dimmed">
        Fields of one tool start with its name, such as gradle.requestedTasks. Type the name to see
        them.
      </Text>
    </Modal>
  )
}

type Row = readonly [written: string, meaning: string]

function Rows({ title, rows }: { title: string; rows: readonly Row[] }): ReactElement {
  return (
    <section>
      <Title order={3} size="sm" mt="md" mb={4}>
        {title}
      </Title>
      <Table aria-label={title} verticalSpacing={4} horizontalSpacing="xs">
        <Table.Tbody>
          {rows.map(([written, meaning]) => (
            <Table.Tr key={written}>
              <Table.Th
                scope="row"
                w="45%"
                ff="monospace"
                fz="xs"
                fw={400}
                style={{ overflowWrap: 'anywhere' }}
              >
                {written}
              </Table.Th>
              <Table.Td>{meaning}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

const sections: readonly { readonly title: string; readonly rows: readonly Row[] }[] = [
  {
    title: 'Words',
    rows: [
      ['checkout failed', 'Press Tab: project:checkout buildOutcome:failed'],
      ['"my shop"', 'Words in quotes are one value'],
    ],
  },
  {
    title: 'Conditions',
    rows: [
      ['project:checkout', 'Exactly this value, in any case'],
      ['project:check*', '* stands for any characters'],
      ['tag:"release candidate"', 'Quotes around spaces and special characters'],
      ['value:"Git branch=main"', 'A custom value, as name=value'],
      ['user:*', 'Has any value'],
      ['hasVerificationFailure', 'A true-or-false field on its own'],
    ],
  },
  {
    title: 'Numbers, durations and times',
    rows: [
      ['buildDuration>5m', 'Also <, <=, >= and units such as 90s, 1h30m, 500ms'],
      ['buildDuration:[5m to 1h]', 'From one to another, both included'],
      ['buildStartTime>-7d', 'In the last 7 days'],
      ['buildStartTime:2026-03-01', 'On that day'],
      ['buildStartTime:[2026-03-01T08:00Z to 2026-03-01T17:00Z]', 'Between two times'],
      ['gradle.environment.jvmMaxMemoryHeapSize>4gi', 'Sizes: k, m, g, t, or ki, mi, gi, ti'],
    ],
  },
  {
    title: 'Together',
    rows: [
      ['tag:CI user:ada', 'Both must match; and may be written'],
      ['tag:CI or tag:nightly', 'At least one must match'],
      ['-tag:CI', 'Must not match; also not tag:CI'],
      ['tag:CI (user:ada or user:bob)', 'Parentheses group'],
    ],
  },
]

const fieldRows: readonly Row[] = genericFields
  .filter(({ replacedBy }) => replacedBy === undefined)
  .map(({ name, meaning }) => [name, meaning])
