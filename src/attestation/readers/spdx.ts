import {
  fact,
  list,
  listOf,
  partAt,
  scalarOf,
  told,
  valueOf,
  type FactItem,
  type Part,
} from '../facts.ts'
import { childrenOf, countOf } from '../json-tree.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { unwrapped } from './cosign-data.ts'

export const spdx: PredicateReader = {
  name: 'SPDX bill of materials',
  types: ['', '/v2.2', '/v2.3', '/v3', '/v3.0', '/v3.0.1'].map(
    (end) => `https://spdx.dev/Document${end}`,
  ),
  proves: 'The package is made of these components, as the tool that looked at it found.',
  keys: [
    'spdxVersion',
    'SPDXID',
    'name',
    'documentNamespace',
    'dataLicense',
    'creationInfo',
    'packages',
    'Data',
    '@graph',
  ],
  read: (outer) => {
    const { document: predicate, rows } = unwrapped(outer)
    return {
      rows: [
        ...fact(predicate, 'Document', 'text', 'name'),
        ...fact(predicate, 'SPDX version', 'text', 'spdxVersion'),
        ...fact(predicate, 'Created', 'time', 'creationInfo', 'created'),
        ...fact(predicate, 'Namespace', 'uri', 'documentNamespace'),
        ...fact(predicate, 'Data licence', 'text', 'dataLicense'),
        ...rows,
      ],
      lists: [
        ...list(predicate, 'Created by', 'text', 'creationInfo', 'creators'),
        ...listOf(partAt(predicate, 'packages'), 'Packages', packageItem),
        ...listOf(partAt(predicate, '@graph'), 'Elements', graphElement),
      ],
    }
  },
}

/** An element of SPDX 3: a package, or any of the things that it is told by. */
function graphElement(part: Part): FactItem {
  const purl = valueOf(partAt(part, 'software_packageUrl'), 'purl')
  const names = ['name', 'spdxId', '@id'].flatMap((key) => scalarOf(partAt(part, key)) ?? [])
  const name = names[0] ?? '(no name)'
  return {
    ...(purl ?? { value: name, kind: 'text', remark: undefined }),
    details: [
      ...(purl ? [told('Name', name)] : []),
      ...fact(part, 'Type', 'text', 'type'),
      ...fact(part, 'Version', 'text', 'software_packageVersion'),
    ],
  }
}

function packageItem(part: Part): FactItem {
  const purl = purlOf(part)
  const name = scalarOf(partAt(part, 'name')) ?? '(no name)'
  return {
    ...(purl ?? { value: name, kind: 'text', remark: undefined }),
    details: [
      ...(purl ? [told('Name', name)] : []),
      ...fact(part, 'Version', 'text', 'versionInfo'),
      ...fact(part, 'Licence', 'text', 'licenseConcluded'),
      ...fact(part, 'Supplier', 'text', 'supplier'),
    ],
  }
}

function purlOf(part: Part): Omit<FactItem, 'details'> | undefined {
  const { tree, node } = partAt(part, 'externalRefs')
  if (countOf(tree, node) > 200) return undefined
  for (const child of childrenOf(tree, node)) {
    const reference = { tree, node: child }
    if (scalarOf(partAt(reference, 'referenceType')) !== 'purl') continue
    return valueOf(partAt(reference, 'referenceLocator'), 'purl')
  }
  return undefined
}
