#!/usr/bin/env python3
"""Makes tests/data/farm: an operator, accounts and a user of NATS, with keys that are no secret.

    cd tests/data/farm && ../../../tools/farm/test_creds.py

Needs openssl. The same keys each time: they are the SHA-256 of `test NUMBER`.
"""
import base64, hashlib, json, os, subprocess, sys

if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "needs"), __file__, "openssl"]):
    sys.exit(3)
def crc(d):
    c=0
    for b in d:
        c^=b<<8
        for _ in range(8): c=((c<<1)^0x1021)&0xffff if c&0x8000 else (c<<1)&0xffff
    return c
b32=lambda d: base64.b32encode(d).decode().rstrip('=')
b64=lambda d: base64.urlsafe_b64encode(d).decode().rstrip('=')
class Key:
    def __init__(s,kind,n):
        s.kind=kind; k=hashlib.sha256(b'test %d'%n).digest()
        open('k.der','wb').write(bytes.fromhex('302e020100300506032b657004220420')+k)
        s.pem=f'k{n}.pem'
        subprocess.run(['openssl','pkey','-inform','DER','-in','k.der','-out',s.pem],check=True)
        s.raw=subprocess.run(['openssl','pkey','-in',s.pem,'-pubout','-outform','DER'],capture_output=True).stdout[-32:]
        p={'O':14,'A':0,'U':20}[kind]<<3
        d=bytes([p])+s.raw; s.pub=b32(d+crc(d).to_bytes(2,'little'))
        S=18<<3
        d=bytes([S|(p>>5),(p&31)<<3])+k; s.seed=b32(d+crc(d).to_bytes(2,'little'))
    def sign(s,d):
        open('m','wb').write(d)
        return subprocess.run(['openssl','pkeyutl','-sign','-rawin','-inkey',s.pem,'-in','m'],capture_output=True,check=True).stdout
def jwt(by,to,name,nats):
    h=b64(json.dumps({"typ":"JWT","alg":"ed25519-nkey"}).encode())
    c={"iat":1700000000,"iss":by.pub,"name":name,"sub":to.pub,"nats":nats}
    c["jti"]=b32(hashlib.sha256(json.dumps(c).encode()).digest())
    b=b64(json.dumps(c).encode())
    return f"{h}.{b}.{b64(by.sign(f'{h}.{b}'.encode()))}"
o,a,u,y=Key('O',1),Key('A',2),Key('U',3),Key('A',4)
lim={"subs":-1,"data":-1,"payload":-1,"imports":-1,"exports":-1,"wildcards":True,"conn":-1,"leaf":-1,"mem_storage":-1,"disk_storage":-1,"streams":-1,"consumer":-1}
oj=jwt(o,o,"operator",{"type":"operator","version":2})
aj=jwt(o,a,"account",{"type":"account","version":2,"limits":lim})
uj=jwt(a,u,"anna",{"type":"user","version":2,"subs":-1,"data":-1,"payload":-1})
nolim={k:v for k,v in lim.items() if k not in("mem_storage","disk_storage","streams","consumer")}
yj=jwt(o,y,"system",{"type":"account","version":2,"limits":nolim})
open('operator.conf','w').write(f"# Keys for tests alone, made by tools/farm/test_creds.py.\noperator: {oj}\nsystem_account: {y.pub}\nresolver: MEMORY\nresolver_preload: {{\n  {a.pub}: {aj}\n  {y.pub}: {yj}\n}}\n")
open('anna.creds','w').write(f"-----BEGIN NATS USER JWT-----\n{uj}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{u.seed}\n------END USER NKEY SEED------\n")
for name in ['k.der', 'm'] + [f'k{n}.pem' for n in (1, 2, 3, 4)]:
    os.remove(name)
