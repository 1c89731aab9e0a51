import type { PeerCertificate } from 'node:tls';

function names(certificate: PeerCertificate): string {
  const alternative = certificate.subjectaltname;
  if (alternative) return alternative.replaceAll(/(?:DNS|IP Address):/g, '');
  const common = certificate.subject?.CN;
  return common === undefined ? 'no name at all' : String(common);
}

/**
 * What is wrong with a server's certificate, in a sentence.
 *
 * @param code what OpenSSL or the name check said, as in `TLSSocket.authorizationError`
 * @param hostname the name that the certificate should be for
 */
export function certificateComplaint(code: string, certificate: PeerCertificate, hostname: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `The certificate of ${hostname} expired on ${certificate.valid_to} (${code}).`;
    case 'CERT_NOT_YET_VALID':
      return `The certificate of ${hostname} is not valid before ${certificate.valid_from} (${code}).`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate is for ${names(certificate)}, not for ${hostname} (${code}).`;
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `The certificate of ${hostname} is self-signed (${code}). Give it as the CA to trust it.`;
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return `The certificate of ${hostname} was issued by a CA that is not trusted (${code}). Give that CA's certificate to trust it.`;
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return `The issuer of the certificate of ${hostname} is unknown, or its server leaves out an intermediate certificate (${code}).`;
    case 'CERT_REVOKED':
      return `The certificate of ${hostname} was revoked (${code}).`;
    default:
      return `The certificate of ${hostname} is not acceptable (${code}).`;
  }
}
