import { fact, listOf, noneOf, partAt, scalarOf, told } from '../facts.ts'
import { property } from '../json-tree.ts'
import { textsIn } from '../json-fields.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { serviceTypes } from './service-types.ts'

export const javaToolchains: PredicateReader = {
  name: 'Java toolchains',
  types: [...serviceTypes('java-toolchains/v1'), ...serviceTypes('jvm/v1')],
  proves: 'The package was compiled and tested with Java of these vendors and versions only.',
  keys: ['buildScanUri', 'toolchains'],
  read: (predicate) => ({
    rows: [
      ...fact(predicate, 'Build scan', 'uri', 'buildScanUri'),
      ...noneOf(predicate, 'Toolchains', 'toolchains'),
    ],
    lists: listOf(partAt(predicate, 'toolchains'), 'Toolchains', (toolchain) => {
      const { tree } = toolchain
      const versions = textsIn(tree, property(tree, toolchain.node, 'versions'))
      const vendor = scalarOf(partAt(toolchain, 'vendor'))
      return {
        value: vendor ?? '(vendor not said)',
        kind: 'text',
        remark: undefined,
        details: versions.slice(0, 50).map((version) => told('Version', version)),
      }
    }),
  }),
}
