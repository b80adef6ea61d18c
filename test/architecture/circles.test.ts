import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { findCircles, type Graph } from './find-circles.ts'
import { product, scripts, targetsOf } from './source-files.ts'

const pairs = [...product, ...scripts].flatMap((file) =>
  targetsOf(file).map(({ target }): [from: string, to: string] => [file.path, target]),
)

test('no file imports itself through others, not even for types: a type that two files need has a file', () => {
  expect(findCircles(graphOf(pairs))).toEqual([])
})

test('no folder imports itself through others: what is shared lies in the one that imports nothing back', () => {
  const folders = pairs.map(([from, to]): [string, string] => [dirname(from), dirname(to)])
  expect(findCircles(graphOf(folders.filter(([from, to]) => !isInside(from, to) && !isInside(to, from))))).toEqual([])
})

/** A folder and its subfolders are one room: the files are what must have no circle there. */
function isInside(folder: string, other: string): boolean {
  return folder.startsWith(`${other}/`)
}

test('a circle of any length is found without the files that only lead to it', () => {
  const graph = graphOf([
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
    ['d', 'b'],
    ['e', 'a'],
    ['x', 'y'],
    ['y', 'x'],
    ['z', 'z'],
  ])
  expect(findCircles(graph)).toEqual([
    ['b', 'c', 'd'],
    ['x', 'y'],
  ])
})

function graphOf(edges: readonly (readonly [from: string, to: string])[]): Graph {
  const graph = new Map<string, Set<string>>()
  for (const [from, to] of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  return graph
}
