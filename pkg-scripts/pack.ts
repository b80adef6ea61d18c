import { basename } from 'node:path'
import { type Metafile, type OutputFile, transform } from 'esbuild'

/**
 * Packs the chunks of a split build into one CommonJS file. Chunks that only a dynamic import reaches are kept as text
 * and compiled when they are first asked for, because reading code is most of what a cached call would pay for; modules
 * of the runtime are loaded on first use for the same reason.
 */
export async function packChunks(files: readonly OutputFile[], metafile: Metafile): Promise<string> {
  const outputs = new Map(Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output]))
  const entry = [...outputs].find(([, output]) => output.entryPoint?.endsWith('.entry.ts'))?.[0] ?? ''
  const eager = findStaticImports(entry, outputs)
  const chunks = await Promise.all(
    files.map(async ({ path, text }) => {
      const name = basename(path)
      const code = await toCommonJs(text)
      return `${JSON.stringify(name)}:${eager.has(name) ? `(exports,module,require)=>{${code}}` : JSON.stringify(code)}`
    }),
  )
  // In order of their names, so that the same sources give the same file.
  return `#!/usr/bin/env node\n"use strict";\nconst chunks={${chunks.sort().join(',\n')}};\n${loader}\nload(${JSON.stringify(entry)});\n`
}

type Outputs = ReadonlyMap<string, Metafile['outputs'][string]>

function findStaticImports(entry: string, outputs: Outputs): Set<string> {
  const found = new Set([entry])
  for (const name of found) {
    for (const { kind, path } of outputs.get(name)?.imports ?? []) {
      if (kind === 'import-statement' && outputs.has(basename(path))) found.add(basename(path))
    }
  }
  return found
}

async function toCommonJs(code: string): Promise<string> {
  const result = await transform(code, {
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    minify: true,
    supported: { 'dynamic-import': false },
  })
  return result.code.trim()
}

/** The names inside must not be minified away: it is text in the packed file. */
const loader = `const loaded={};
function load(name){
  if(loaded[name])return loaded[name].exports;
  const module=loaded[name]={exports:{}};
  const chunk=chunks[name];
  const run=typeof chunk==="string"?compile(name,chunk):chunk;
  run(module.exports,module,id=>id.startsWith("./")?load(id.slice(2)):whenUsed(id));
  return module.exports;
}
function compile(name,code){
  const wrapped="(exports,module,require)=>{"+code+"\\n}";
  return new (require("node:vm").Script)(wrapped,{filename:name}).runInThisContext();
}
function whenUsed(id){
  return new Proxy({},{
    get:(_,key)=>require(id)[key],
    has:(_,key)=>key in require(id),
    ownKeys:()=>Reflect.ownKeys(require(id)),
    getOwnPropertyDescriptor:(_,key)=>({...Object.getOwnPropertyDescriptor(require(id),key),configurable:true}),
  });
}`
