import { childrenOf, countOf, kindOf } from '../decode/json-tree.ts'
import { parseJsonTree } from '../decode/parse-json-tree.ts'
import {
  fact,
  item,
  type Fact,
  type FactItem,
  list,
  listOf,
  type Part,
  partAt,
  type PredicateReader,
  scalarOf,
  textFact,
  valueOf,
} from './predicate-facts.ts'

export const cyclonedx: PredicateReader = {
  name: 'CycloneDX bill of materials',
  types: [
    'https://cyclonedx.org/bom',
    'https://cyclonedx.org/schema',
    ...['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'].map((v) => `https://cyclonedx.org/bom/v${v}`),
    ...['1.2', '1.3', '1.4', '1.5', '1.6', '1.7'].map((v) => `https://cyclonedx.org/BOM/v${v}`),
  ],
  proves: 'The package contains these components, according to the tool that scanned it.',
  hidden: [
    '$schema',
    'bomFormat',
    'specVersion',
    'serialNumber',
    'version',
    'metadata',
    'components',
    'vulnerabilities',
    'Data',
  ],
  read: (outer) => {
    const { document: predicate, rows } = unwrapped(outer)
    return {
      rows: [
        ...fact(predicate, 'About', 'text', 'metadata', 'component', 'name'),
        ...fact(predicate, 'Version', 'text', 'metadata', 'component', 'version'),
        ...fact(predicate, 'Package', 'purl', 'metadata', 'component', 'purl'),
        ...fact(predicate, 'Created', 'time', 'metadata', 'timestamp'),
        ...fact(predicate, 'Specification', 'text', 'specVersion'),
        ...fact(predicate, 'Serial number', 'text', 'serialNumber'),
        ...rows,
      ],
      lists: [
        ...listOf(partAt(predicate, 'components'), 'Components', component),
        ...listOf(partAt(predicate, 'vulnerabilities'), 'Vulnerabilities', (vulnerability) =>
          item(scalarOf(partAt(vulnerability, 'id')) ?? '(no id)', [
            ...fact(vulnerability, 'Source', 'uri', 'source', 'url'),
            ...fact(vulnerability, 'Analysis', 'text', 'analysis', 'state'),
            ...fact(vulnerability, 'Description', 'text', 'description'),
          ]),
        ),
      ],
    }
  },
}

function component(part: Part): FactItem {
  const purl = valueOf(partAt(part, 'purl'), 'purl')
  const name = scalarOf(partAt(part, 'name')) ?? '(no name)'
  return {
    ...(purl ?? { value: name, kind: 'text', remark: undefined }),
    details: [
      ...fact(part, 'Name', 'text', 'name'),
      ...fact(part, 'Version', 'text', 'version'),
      ...fact(part, 'Type', 'text', 'type'),
      ...listOf(partAt(part, 'components'), '', component).map(({ length }) =>
        textFact('Components inside it', String(length)),
      ),
    ],
  }
}

export const spdx: PredicateReader = {
  name: 'SPDX bill of materials',
  types: ['', '/v2.2', '/v2.3', '/v3', '/v3.0', '/v3.0.1'].map(
    (end) => `https://spdx.dev/Document${end}`,
  ),
  proves: 'The package contains these components, according to the tool that scanned it.',
  hidden: [
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
        ...fact(predicate, 'Data license', 'text', 'dataLicense'),
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

/** An element of SPDX 3: a package, or anything that describes it. */
function graphElement(part: Part): FactItem {
  const purl = valueOf(partAt(part, 'software_packageUrl'), 'purl')
  const names = ['name', 'spdxId', '@id'].flatMap((key) => scalarOf(partAt(part, key)) ?? [])
  const name = names[0] ?? '(no name)'
  return {
    ...(purl ?? { value: name, kind: 'text', remark: undefined }),
    details: [
      ...(purl ? [textFact('Name', name)] : []),
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
      ...(purl ? [textFact('Name', name)] : []),
      ...fact(part, 'Version', 'text', 'versionInfo'),
      ...fact(part, 'License', 'text', 'licenseConcluded'),
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

/**
 * The document of a predicate: older cosign versions put it into a field named `Data`, as an object
 * or as one string. A string that holds no JSON, or too much of it to be read at once, is a row.
 */
function unwrapped(predicate: Part): { readonly document: Part; readonly rows: readonly Fact[] } {
  const data = partAt(predicate, 'Data')
  if (kindOf(data.tree, data.node) === 'object') return { document: data, rows: [] }
  const text = scalarOf(data)
  if (text === undefined) return { document: predicate, rows: [] }
  const parsed = text.length > mostRead ? undefined : parseJsonTree(text)
  if (parsed?.ok === true && kindOf(parsed.tree, 0) === 'object') {
    return { document: { tree: parsed.tree, node: 0 }, rows: [] }
  }
  const remark = 'The document is wrapped in a string and shown as is.'
  return { document: predicate, rows: [textFact('Document as text', text, remark)] }
}

/** In characters; read while the page is shown. */
const mostRead = 5_000_000
