"""Error rate of an installed gnubg at 0-ply, cubeless, on benchmark files.

    FILES="contact.bm crashed.bm race.bm" gnubg -t -q -r -p gnubg-sample.py < /dev/null
"""
import os
import gnubg
gnubg.command('set threads 1'); gnubg.command('set jacoby off')
def decode(k):
    bits=[]
    for i in range(0,20,2):
        b=((ord(k[i])-65)<<4)|(ord(k[i+1])-65)
        for j in range(8): bits.append((b>>j)&1)
    sides=[[],[]];p=0
    for s in range(2):
        for i in range(25):
            n=0
            while bits[p]: n+=1;p+=1
            p+=1; sides[s].append(n)
    return sides # opponent, mover
def encode(opp,me):
    bits=[]
    for s in (opp,me):
        for n in s: bits+= [1]*n+[0]
    bits+=[0]*(80-len(bits)); out=''
    for i in range(10):
        b=sum(bits[8*i+j]<<j for j in range(8)); out+=chr(65+(b>>4))+chr(65+(b&15))
    return out
ci=gnubg.cubeinfo(1,-1,0,0,(0,0),0)

ec=gnubg.evalcontext(0,0,1,0,0.0)
for f in os.environ['FILES'].split():
    tot=0;n=0
    for line in open(f):
        if not line.startswith('m '): continue
        t=line.split(); opp,me=decode(t[1]); d=(int(t[2]),int(t[3]))
        mv=gnubg.findbestmove((tuple(opp),tuple(me)),ci,ec,d)
        o=list(opp);m=list(me)
        for i in range(0,len(mv),2):
            a,b=mv[i],mv[i+1]
            a-=1;b-=1
            m[a]-=1
            if b>=0:
                m[b]+=1
                if b<24 and o[23-b]==1: o[23-b]=0;o[24]+=1
        k=encode(m,o) # after: mover first half (opponent on roll)
        c=dict(); c[t[4]]=0.0
        last=0.0
        for i in range(6,len(t)-1,2): c[t[i]]=float(t[i+1]); last=float(t[i+1])
        loss=c.get(k,last); tot+=loss; n+=1
        print(f,t[1],d,mv,k,loss,k in c)
    print(f,n,'%.6f'%(1000*tot/n))
