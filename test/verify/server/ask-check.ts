import { Client, credentials, type ServiceError } from '@grpc/grpc-js'
import protobuf from 'protobufjs/light.js'
import { onTestFinished } from 'vitest'
import { messageDescriptors } from '../../../src/verify/server/envoy-messages.ts'

const messages = protobuf.Root.fromJSON(messageDescriptors)

/** Creates a client of gRPC whose messages are objects. An answer that is an error has its code and its text. */
export function createCheckClient(target: string) {
  const client = new Client(target, credentials.createInsecure())
  onTestFinished(() => client.close())
  const call = (path: string, [from, to]: readonly [string, string], message: object, deadlineMs: number) =>
    new Promise<object>((resolve) => {
      const [request, response] = [messages.lookupType(from), messages.lookupType(to)]
      client.makeUnaryRequest(
        path,
        (value: object) => Buffer.from(request.encode(request.fromObject(value)).finish()),
        (bytes: Buffer) => response.toObject(response.decode(bytes)),
        message,
        { deadline: Date.now() + deadlineMs },
        (error: ServiceError | null, answer?: object) =>
          resolve(error ? { code: error.code, details: error.details } : answer!),
      )
    })
  const [authorization, health] = ['envoy.service.auth.v3', 'grpc.health.v1']
  return {
    /** Asks about a request with these fields of `HttpRequest`, from such a peer. */
    check: (http: object, deadlineMs = 5_000, source: object = {}) =>
      call(
        `/${authorization}.Authorization/Check`,
        [`${authorization}.CheckRequest`, `${authorization}.CheckResponse`],
        { attributes: { source, request: { http } } },
        deadlineMs,
      ),
    health: (service: string) =>
      call(
        `/${health}.Health/Check`,
        [`${health}.HealthCheckRequest`, `${health}.HealthCheckResponse`],
        { service },
        5_000,
      ),
  }
}
