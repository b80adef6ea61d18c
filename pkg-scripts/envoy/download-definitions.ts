import protobuf from 'protobufjs'
import { downloadPackage, type PinnedPackage, registryPausesMs } from '../executable/download-package.ts'
import { expandArchive } from '../executable/expand-archive.ts'

/** The packages of the gRPC project with the published definitions. They are not installed, because nothing else in them is used. */
export const packages: readonly (PinnedPackage & { readonly files: readonly string[] })[] = [
  {
    packageName: '@grpc/grpc-js-xds',
    version: '1.14.1',
    integrity: 'sha512-F2mVXwEeMWw1znPUrp+8ykjsIOVnf7Rv+EyIvXOfz73w5tNolCnzokpLkE/d2Ehx30PJmZXqCQdMpx8DcBJohA==',
    files: [
      'deps/envoy-api/envoy/service/auth/v3/external_auth.proto',
      'deps/envoy-api/envoy/service/auth/v3/attribute_context.proto',
      'deps/envoy-api/envoy/config/core/v3/address.proto',
      'deps/envoy-api/envoy/config/core/v3/base.proto',
      'deps/envoy-api/envoy/type/v3/http_status.proto',
      'deps/googleapis/google/rpc/status.proto',
    ],
  },
  {
    packageName: 'grpc-health-check',
    version: '2.1.0',
    integrity: 'sha512-HH3WjwNtusMTEQAtRelFgsFyNcOdihvpjusNDIrGYfWG8tPNSHqELrSyriIjm70k65YSxetsKG1y4H1L5gi1wQ==',
    files: ['proto/health/v1/health.proto'],
  },
]

/** Downloads the packages, checks their digests, and parses the definitions in them. */
export async function downloadDefinitions(): Promise<protobuf.Root> {
  const root = new protobuf.Root()
  root.addJSON({ ...protobuf.common.get('google/protobuf/struct.proto')!.nested }) // protobufjs includes this definition
  root.addJSON({ ...protobuf.common.get('google/protobuf/wrappers.proto')!.nested })
  for (const { files, ...pinned } of packages) {
    const names = files.map((file) => `package/${file}`)
    const found = await expandArchive(await downloadPackage(pinned, registryPausesMs), names)
    for (const name of names) {
      const text = found.get(name)
      if (!text) throw new Error(`${pinned.packageName}@${pinned.version} has no ${name}`)
      protobuf.parse(text.toString('utf8'), root)
    }
  }
  return root
}
