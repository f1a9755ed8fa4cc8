import type { Wall } from '../../../protocol/wall.ts'

/** A wall as it stands in the configuration file, ready to be pasted. */
export function wallYaml(wall: Wall): string {
  const lines = [
    'walls:',
    `  - name: ${quoted(wall.name === '' ? 'projects' : wall.name)}`,
    ...(wall.title === undefined ? [] : [`    title: ${quoted(wall.title)}`]),
    ...(wall.order === 'failing-first' ? [] : [`    order: ${wall.order}`]),
    ...(wall.group === 'none' ? [] : [`    group: ${wall.group}`]),
    ...(wall.tiles.length === 0 ? [] : ['    tiles:']),
    ...wall.tiles.flatMap(({ title, query, pinned }) => [
      `      - title: ${quoted(title)}`,
      `        query: ${quoted(query)}`,
      ...(pinned ? ['        pinned: true'] : []),
    ]),
  ]
  return `${lines.join('\n')}\n`
}

/** In double quotes: JSON's way to write a text is also YAML's. */
function quoted(text: string): string {
  return JSON.stringify(text)
}
